
// ---- Live parts: made like a fresh copy of the page, around what the person is doing ----

// Forms that were just sent: they show the new state though they have the focus.
const renewed = new Set();

// What must stay as it is: an open dialog, a form that is being sent, filled in or edited.
function isHeld(element) {
  if (renewed.has(element)) return false;
  if (element.matches("dialog[open], [data-keep]")) return true;
  return element.matches("form") && (typedIn(element) || element.contains(edited()));
}

function edited() {
  const active = document.activeElement;
  return active?.matches("input, textarea, select") ? active : null;
}

function holds(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return false;
  return isHeld(node) || [...node.querySelectorAll("dialog[open], form, [data-keep]")].some(isHeld);
}

// What a child is known by among its siblings; most have no name and are known by their place. Read as attributes, because a field
// named `id` would hide the property.
function nameOf(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return undefined;
  const of = (name) => node.getAttribute(name);
  if (of("data-key")) return `key ${of("data-key")}`;
  if (of("id")) return `id ${of("id")}`;
  // Several forms may call the same: what stands on the button tells them apart.
  if (node.localName === "form") return `form ${of("data-call")} ${of("action")} ${node.querySelector("button[type=submit]")?.textContent}`;
  if (node.localName === "dialog") return `dialog ${of("aria-label")}`;
  return undefined;
}

function morph(old, fresh) {
  if (old.isEqualNode(fresh) && !old.querySelector?.("input, textarea, select")) return;
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) {
    if (!holds(old)) old.replaceWith(document.importNode(fresh, true));
    return;
  }
  if (old.nodeType === Node.TEXT_NODE) { if (old.data !== fresh.data) old.data = fresh.data; return; }
  if (old.nodeType !== Node.ELEMENT_NODE || isHeld(old)) return;
  attributes(old, fresh);
  children(old, fresh);
  settle(old);
}

function attributes(old, fresh) {
  const attributesOf = (element) => Element.prototype.getAttributeNames.call(element);
  for (const name of attributesOf(old)) if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  for (const name of attributesOf(fresh)) {
    const value = fresh.getAttribute(name);
    if (name !== "open" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

// A field that nobody touched shows what the server says now.
function settle(field) {
  if (field.matches("textarea, input:not([type=checkbox], [type=file])") && field.value !== field.defaultValue) field.value = field.defaultValue;
  if (field.matches("input[type=checkbox]")) field.checked = field.defaultChecked;
  if (field.matches("select") && field.options.length) field.selectedIndex = defaultIndex(field);
}

function children(old, fresh) {
  const wanted = [...fresh.childNodes];
  const names = new Set(wanted.map(nameOf).filter(Boolean));
  // First goes what is not wanted any more, so that what stays need not move: a dialog that moves is closed to the keyboard.
  for (const child of [...old.childNodes]) {
    const name = nameOf(child);
    if (name && !names.has(name) && !holds(child)) child.remove();
  }
  const known = new Map([...old.childNodes].map((child) => [nameOf(child), child]).filter(([name]) => name));
  let place = old.firstChild;
  // What has no name is known by its place, also while something in it is held.
  const isLeft = (node) => nameOf(node) && !names.has(nameOf(node)) && holds(node);
  const pass = () => { while (place && isLeft(place)) place = place.nextSibling; };
  for (const one of wanted) {
    pass();
    const name = nameOf(one), same = name && known.get(name);
    if (same) {
      if (same === place) place = place.nextSibling;
      else if (holds(same)) { while (place && place !== same) { const after = place.nextSibling; old.append(place); place = after; } place = same.nextSibling; }
      else old.insertBefore(same, place);
      morph(same, one);
    } else if (!name && place && !nameOf(place) && place.nodeName === one.nodeName) {
      const after = place.nextSibling;
      morph(place, one);
      place = after;
    } else {
      old.insertBefore(document.importNode(one, true), place);
    }
  }
  while (place) { const after = place.nextSibling; if (!holds(place)) place.remove(); place = after; }
}

// ---- Looking again ----

const LOOK_MS = 20000;
const again = () => ({ headers: { "Fastness-Again": "yes" }, credentials: "same-origin", signal: AbortSignal.timeout(LOOK_MS) });

let looking, next, notBefore = 0;

// Ends when the page shows what was so when this was called, or later.
function look() {
  if (!looking) return (looking = lookOnce().finally(() => { looking = undefined; }));
  return (next ??= looking.then(() => { next = undefined; return look(); }));
}

async function lookOnce() {
  const begun = performance.now();
  try {
    const answer = await fetch(location.href, again());
    if (answer.status === 401) return ended();
    if (answer.status < 500 && !answer.ok) return anew();
    if (!answer.ok) return alive(false);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (isAnother(fresh)) return anew();
    setMoments(fresh);
    for (const part of document.querySelectorAll("[data-live]")) {
      const now = fresh.getElementById(part.getAttribute("id"));
      if (now) morph(part, now);
    }
    alive(true);
  } catch {
    alive(false);
  } finally {
    // A slow page is looked at less often, so that open pages take a small part of a busy server.
    notBefore = performance.now() + Math.min(10 * (performance.now() - begun), 30000);
  }
}

// Another person logged in beside us, or the server was renewed: this page is of another time.
function isAnother(fresh) {
  const script = (page) => page.querySelector("script[src]")?.getAttribute("src");
  return meta("csrf", fresh) !== meta("csrf") || script(fresh) !== script(document);
}

function anew() {
  if (somethingTyped()) return alive(false);
  location.reload();
}

function alive(on) {
  const lamp = document.getElementById("live");
  if (!lamp) return;
  lamp.classList.toggle("on", on);
  lamp.classList.toggle("off", !on);
  const text = on ? lamp.dataset.on : lamp.dataset.off;
  if (lamp.textContent !== text) lamp.textContent = text;
}

// A page in the background has no stream: browsers open few connections to one server, for all their pages together.
function listen() {
  const address = meta("live");
  if (!address) return;
  let source, pause = 1000, due, opened = false;
  const soon = () => { due ??= setTimeout(() => { due = undefined; look(); }, Math.max(0, notBefore - performance.now()) + 200 * Math.random()); };
  const close = () => { source?.close(); source = undefined; };
  const open = () => {
    close();
    source = new EventSource(address);
    // The page itself is as new as the first stream.
    source.addEventListener("open", () => { pause = 1000; if (opened) look(); else alive(true); opened = true; });
    source.addEventListener("look", soon);
    source.addEventListener("error", () => {
      alive(false);
      // A refused stream is not opened again by the browser.
      if (source?.readyState !== EventSource.CLOSED) return;
      setTimeout(() => { if (!document.hidden) { open(); look(); } }, pause * (0.5 + Math.random()));
      pause = Math.min(2 * pause, 30000);
    });
  };
  document.addEventListener("visibilitychange", () => { if (document.hidden) close(); else open(); });
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => { if (event.persisted) open(); });
  if (!document.hidden) open();
}

// A page that cannot be shown now: looks whether it can by now, and comes back then.
async function comeBack() {
  const answer = await fetch(location.href, again()).catch(() => null);
  if (answer && answer.status < 500) return location.reload();
  wait();
}

function wait() {
  const after = document.body.dataset.again;
  if (after) setTimeout(comeBack, after * 1000);
}

listen();
wait();
// Asked for from elsewhere, it came without a cookie: now it is asked for from here.
if ("onceMore" in document.body.dataset) location.replace(location.href);
