
// ---- The one box offers what it finds while somebody types. Without an answer Enter searches all the same ----

const TYPED_MS = 150;
const TYPED_MIN = 2;

function offer(box) {
  const list = document.getElementById("find-list"), told = document.getElementById("find-told");
  const options = () => [...list.querySelectorAll("[role=option]")];
  const chosen = () => options().find((one) => one.getAttribute("aria-selected") === "true");
  let due, asked;

  const choose = (one) => {
    for (const other of options()) other.setAttribute("aria-selected", String(other === one));
    if (one) box.setAttribute("aria-activedescendant", one.id); else box.removeAttribute("aria-activedescendant");
    one?.scrollIntoView({ block: "nearest" });
  };
  const open = (on) => {
    list.parentElement.classList.toggle("hidden", !on);
    box.setAttribute("aria-expanded", String(on));
  };
  const close = () => {
    clearTimeout(due);
    asked?.abort();
    choose(undefined);
    list.replaceChildren();
    told.textContent = "";
    open(false);
  };
  const show = (offered) => {
    list.replaceChildren(...offered.groups.map(groupOf));
    options().forEach((one, at) => { one.id = `find-option-${at}`; });
    told.textContent = offered.told;
    choose(undefined);
    open(true);
  };
  const ask = async (text) => {
    asked?.abort();
    const mine = (asked = new AbortController());
    const answer = await fetch(`${box.dataset.suggest}?q=${encodeURIComponent(text)}`, { ...again(), signal: mine.signal });
    const offered = answer.ok ? await answer.json() : undefined;
    if (offered && !mine.signal.aborted && document.activeElement === box) show(offered);
  };
  // What cannot be asked now is not offered: nothing else depends on it.
  const soon = () => {
    clearTimeout(due);
    const text = box.value.trim();
    if (text.length < TYPED_MIN) return close();
    due = setTimeout(() => ask(text).catch(() => undefined), TYPED_MS);
  };
  const step = (by) => {
    // One more place than there are: in it nothing is chosen, and Enter searches.
    const all = [...options(), undefined], at = all.indexOf(chosen());
    choose(all[(at + by + all.length) % all.length]);
  };
  const KEYS_OF_BOX = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    Escape: close,
    Enter: () => { const one = chosen(); if (!one) return false; one.click(); },
  };

  const attributes = { role: "combobox", "aria-autocomplete": "list", "aria-controls": "find-list", "aria-expanded": "false" };
  for (const [name, value] of Object.entries(attributes)) box.setAttribute(name, value);
  box.addEventListener("input", soon);
  box.addEventListener("keydown", (event) => {
    const does = box.getAttribute("aria-expanded") === "true" && !event.isComposing && !event.ctrlKey && !event.metaKey && KEYS_OF_BOX[event.key];
    if (!does || does() === false) return;
    event.preventDefault();
    event.stopPropagation();
  });
  // A press on what is offered leaves the focus where it is, so that it is still there when the finger is lifted.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", close);
  box.addEventListener("blur", close);
  addEventListener("pageshow", close);
}

function groupOf({ title, items }) {
  const group = make("div", "find-group"), head = make("p", "find-kind", title);
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", title);
  head.setAttribute("aria-hidden", "true");
  group.append(head, ...items.map(optionOf));
  return group;
}

function optionOf({ href, name, about }) {
  const one = make("a", "find-option");
  one.setAttribute("role", "option");
  one.setAttribute("aria-selected", "false");
  one.tabIndex = -1;
  one.href = href;
  one.append(make("bdi", "find-name", name));
  if (about) one.append(make("bdi", "sub-text", about));
  return one;
}

const everything = document.getElementById("find");
if (everything) offer(everything);
