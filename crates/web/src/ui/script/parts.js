// The console's script, in four parts: small parts, forms, live, find. It sends forms to the API, keeps live parts up to date, opens
// menus and dialogs, and offers what the one box finds. It adds no HTML from texts: everything that it shows is set as text, or was made by the server.
"use strict";

const words = document.getElementById("toasts")?.dataset ?? {};
const meta = (name, page = document) => page.querySelector(`meta[name="${name}"]`)?.content;

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function toast(text, bad) {
  const place = document.getElementById("toasts");
  if (!place) return;
  const shown = make("div", bad ? "toast bad" : "toast");
  shown.append(make("span", "", text));
  if (bad) stays(shown, [...place.children].filter((other) => other.firstChild.textContent === text));
  else setTimeout(() => shown.remove(), 5000);
  place.append(shown);
}

// A refusal is there until it was read, once.
function stays(shown, same) {
  for (const other of same) other.remove();
  shown.setAttribute("role", "alert");
  const close = make("button", "close", "×");
  close.type = "button";
  close.setAttribute("aria-label", words.close);
  close.addEventListener("click", () => shown.remove());
  shown.append(close);
}

// Gives the value of the button that closed it. One with `data-fast` closes by a button only: what it shows cannot be shown again.
function dialog(title, content, buttons, fast) {
  const opened = make("dialog");
  opened.setAttribute("aria-label", title);
  opened.toggleAttribute("data-fast", Boolean(fast));
  if (fast) opened.setAttribute("closedby", "none");
  const head = make("header", "dialog-head");
  head.append(make("h2", "", title));
  const row = make("div", "dialog-buttons");
  return new Promise((resolve) => {
    let result = false;
    for (const { text, className, value, does } of buttons) {
      const button = make("button", className, text);
      button.type = "button";
      button.addEventListener("click", () => {
        if (does) return does(button);
        result = value;
        opened.close();
      });
      row.append(button);
    }
    opened.append(head, content, row);
    opened.addEventListener("cancel", (event) => { if (fast) event.preventDefault(); });
    opened.addEventListener("close", () => { opened.remove(); resolve(result); });
    document.body.append(opened);
    opened.showModal();
  });
}

function copy(text) {
  // Without TLS browsers offer no clipboard but this.
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = make("textarea", "hidden", text);
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  return Promise.resolve();
}

function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Where a select stands when nobody touched it.
const defaultIndex = (select) => Math.max(0, [...select.options].findIndex((option) => option.defaultSelected));

// Whether somebody has begun to fill a form in.
function typedIn(form) {
  return [...form.elements].some((field) => {
    if (field.type === "hidden") return false;
    if (field.type === "checkbox") return field.checked !== field.defaultChecked;
    if (field.type === "file") return field.files.length > 0;
    if (field instanceof HTMLSelectElement) return field.selectedIndex !== defaultIndex(field);
    return "defaultValue" in field && field.value !== field.defaultValue;
  });
}

const somethingTyped = () => [...document.forms].some((form) => typedIn(form));

// While a password is changed, which ends the session: another one follows by itself.
let entering = false;
let toldOfEnd = false;

// The session has ended. What was typed is not thrown away: the person logs in beside it.
async function ended() {
  if (entering) return;
  const here = location.pathname + location.search;
  const login = `/console/_login?ended=yes&next=${encodeURIComponent(here)}`;
  if (!somethingTyped()) return location.assign(login);
  if (toldOfEnd) return;
  toldOfEnd = true;
  const go = await dialog(words.ended, make("p", "", words.endedHint), [
    { text: words.cancel, value: false },
    { text: words.login, className: "primary", value: true },
  ]);
  if (go) open(login, "_blank", "noopener");
  toldOfEnd = false;
}

// ---- Times in the browser's own zone ----

// A moment as a whole, in the browser's zone and in the server's.
function whole(time) {
  const at = new Date(time.getAttribute("datetime"));
  if (isNaN(at)) return undefined;
  const here = at.toLocaleString(document.documentElement.lang, { dateStyle: "full", timeStyle: "long" });
  return `${here} (${at.toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC")})`;
}

// A field that the server filled in with a moment shows it in the browser's zone, as what nobody touched. `page` may be one that is not shown.
function setMoments(page) {
  for (const field of page.querySelectorAll("input[data-utc]")) {
    const at = new Date(field.dataset.utc);
    const here = new Date(at - at.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
    // As browsers write it, so that it is not taken for another one: without seconds where there are none.
    field.setAttribute("value", here.replace(/:00$/, ""));
  }
}
setMoments(document);

document.addEventListener("pointerover", (event) => {
  const time = event.target.closest?.("time[datetime]"), text = time && whole(time);
  if (text) time.title = text;
});

// ---- What is pressed ----

let pressed;
document.addEventListener("pointerdown", (event) => { pressed = event; });

// Beside the dialog, from the press to the release; and nothing in it would be lost.
function isBeside(event) {
  const box = event.target;
  if (!box.matches?.("dialog[open]") || pressed?.target !== box || box.hasAttribute("data-fast")) return false;
  const { left, right, top, bottom } = box.getBoundingClientRect();
  const outside = ({ clientX: x, clientY: y }) => x < left || x > right || y < top || y > bottom;
  return outside(event) && outside(pressed) && ![...box.querySelectorAll("form")].some((form) => typedIn(form));
}

document.addEventListener("click", (event) => {
  const on = (selector) => event.target.closest?.(selector);
  const opener = on("[data-opens]"), closer = on("[data-closes]"), menu = on("[data-menu]"), copied = on("[data-copy]");
  if (opener) opener.nextElementSibling.showModal();
  if (closer) closer.closest("dialog").close();
  if (on("[data-keys]")) showKeys();
  // A finger cannot rest on a time to read it whole.
  const time = on("time[datetime]");
  if (time && !on("a, button")) toast(whole(time));
  if (menu) {
    const opened = document.getElementById(menu.dataset.menu).classList.toggle("open");
    menu.setAttribute("aria-expanded", String(opened));
  }
  if (copied) copy(copied.dataset.copy).then(() => {
    copied.classList.add("copied");
    toast(words.copied);
    setTimeout(() => copied.classList.remove("copied"), 1200);
  });
  for (const pick of document.querySelectorAll("details.pick[open]")) if (!pick.contains(event.target)) pick.open = false;
  if (isBeside(event)) event.target.close();
});

// ---- The keyboard ----

// The filter of a list where the page has one, else the box that finds everything.
const firstFilter = () => [...document.querySelectorAll(".filters input:not([type=hidden])")].find((field) => field.checkVisibility());
const focusOn = (field) => { field?.focus(); field?.select?.(); return Boolean(field); };
const follow = (selector) => { const link = document.querySelector(selector); link?.click(); return Boolean(link); };
const showKeys = () => { const help = document.getElementById("keyboard"); help?.showModal(); return Boolean(help); };

const KEYS = {
  "/": () => focusOn(firstFilter() ?? document.getElementById("find")),
  "?": showKeys,
  n: () => follow("main a[rel=next]"),
  p: () => follow("main a[rel=first]"),
};

// From one thing that was found to the next.
function step(event) {
  const links = [...document.querySelectorAll(".found a")], down = event.key === "ArrowDown";
  const at = links.indexOf(document.activeElement), inBox = document.activeElement?.id === "find";
  if (!links.length || (at < 0 && !(inBox && down))) return false;
  return focusOn(links[at + (down ? 1 : -1)] ?? (down ? undefined : document.getElementById("find")));
}

document.addEventListener("keydown", (event) => {
  // A second Escape would close it though `cancel` is prevented.
  if (event.key === "Escape" && document.querySelector("dialog[data-fast][open]")) event.preventDefault();
  if (event.key === "Escape") for (const pick of document.querySelectorAll("details.pick[open]")) pick.open = false;
  if (document.querySelector("dialog[open]") || event.altKey) return;
  const command = event.ctrlKey || event.metaKey;
  const typing = event.target.matches?.("input, textarea, select, [contenteditable]");
  const does = command ? event.key.toLowerCase() === "k" && (() => focusOn(document.getElementById("find")))
    : event.key.startsWith("Arrow") ? () => step(event) : !typing && document.body.dataset.singleKeys !== "off" && KEYS[event.key];
  if (does && does()) event.preventDefault();
});

// On a phone many filters would fill the screen before the list begins: they wait behind their word, unless one is in use.
const narrow = matchMedia("(max-width: 46rem)");
function foldFilters() {
  for (const filters of document.querySelectorAll("details.folded-filters")) {
    filters.open = !narrow.matches || filters.hasAttribute("data-used");
  }
}
narrow.addEventListener("change", foldFilters);
foldFilters();

// What a link says. One that was cut off or made up says nothing.
function decoded(text) {
  try { return decodeURIComponent(text); } catch { return ""; }
}

// A page that was asked for with an action opens its dialog: `#open=POST%20%2Fv1%2F…`.
function openAsked() {
  const asked = location.hash.match(/^#open=(.*)$/)?.[1];
  if (!asked) return;
  const [method, action] = decoded(asked).split(" ");
  const form = [...document.forms].find((one) => one.dataset.call === method && one.getAttribute("action") === action);
  history.replaceState(null, "", location.pathname + location.search);
  form?.closest("dialog:not([open])")?.showModal();
}
addEventListener("hashchange", openAsked);
openAsked();
