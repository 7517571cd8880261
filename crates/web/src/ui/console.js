// The console's script: sends forms to the API, keeps live parts up to date, opens menus and dialogs.
// It adds no HTML from texts: everything that it shows is set as text, or was made by the server.
"use strict";

const words = document.getElementById("toasts")?.dataset ?? {};
const meta = (name) => document.querySelector(`meta[name="${name}"]`)?.content;

// ---- Small parts ----

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function toast(text, bad) {
  const place = document.getElementById("toasts");
  if (!place) return;
  const shown = make("div", bad ? "toast bad" : "toast", text);
  place.append(shown);
  setTimeout(() => shown.remove(), bad ? 12000 : 5000);
}

function dialog(title, content, buttons) {
  const opened = make("dialog");
  opened.setAttribute("aria-label", title);
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

// ---- Forms: a change is a call of the API ----

class Wrong extends Error {}

// JSON as it was typed. It is sent so, because numbers of the script are not exact beyond 2^53.
class Typed {
  constructor(text) { this.text = text; this.mark = newKey(); }
  toJSON() { return this.mark; }
}

function written(body, typed) {
  return typed.reduce((text, one) => text.replace(`"${one.mark}"`, () => one.text), JSON.stringify(body));
}

function valueOf(field) {
  const text = field.value;
  switch (field.dataset.kind) {
    case "flag": return field.checked;
    case "any-text": return text;
    case "number": return text === "" ? undefined : Number(text);
    case "moment": return text === "" ? undefined : new Date(text).toISOString();
    case "words": {
      const list = text.split(/[\n,]/).map((word) => word.trim()).filter(Boolean);
      return list.length ? list : undefined;
    }
    case "json":
      if (text.trim() === "") return undefined;
      try { JSON.parse(text); return new Typed(text); } catch (error) { throw new Wrong(`${labelOf(field)}: ${error.message}`); }
    default: return text === "" ? undefined : text;
  }
}

function labelOf(field) {
  return field.closest("label")?.querySelector(".field-label")?.textContent.trim() ?? field.name;
}

// A name with a dot lies inside: `item.name` is {"item": {"name": …}}; a number is a place in a list: `items.0.name`.
function put(body, name, value) {
  const parts = name.split(".");
  let place = body;
  parts.slice(0, -1).forEach((part, at) => {
    // Something is put into what came whole.
    if (place[part] instanceof Typed) place[part] = JSON.parse(place[part].text);
    place = place[part] ??= /^\d+$/.test(parts[at + 1]) ? [] : {};
  });
  place[parts.at(-1)] = value;
}

// What a form says: the text of the body, or the file that is the body, and what fills its addresses in.
function gathered(form) {
  const given = {}, typed = [];
  let body = {}, file;
  for (const field of form.elements) {
    const { kind } = field.dataset;
    if (!field.name || !kind) continue;
    given[field.name] = kind === "path" ? field.value.trim() : field.value;
    if (kind === "file") file = field.files[0];
    if (kind === "file" || kind === "path") continue;
    const value = valueOf(field);
    if (value instanceof Typed) typed.push(value);
    if (field.name === "*") body = value ?? {}; else if (value !== undefined) put(body, field.name, value);
  }
  const fill = (text) => text.replace(/\{([\w.]+)\}/g, (whole, name) => name in given ? encodeURIComponent(given[name]) : whole);
  return { text: written(body, typed), file, fill };
}

function complain(form, text) {
  const place = form.querySelector(".form-error");
  if (!place) return toast(text, true);
  place.textContent = text;
  place.hidden = false;
  if (!form.classList.contains("with-fields")) { place.hidden = true; toast(text, true); }
}

async function call(form) {
  const { text: json, file, fill } = gathered(form);
  const method = form.dataset.call;
  const takesBody = form.querySelector("[data-kind]:not([data-kind=path])");
  const headers = { "Idempotency-Key": form.idempotencyKey ??= newKey() };
  const csrf = meta("csrf");
  if (csrf) headers["X-CSRF-Token"] = csrf;
  if (takesBody) headers["Content-Type"] = file ? file.type || "application/octet-stream" : "application/json";
  const answer = await fetch(fill(form.getAttribute("action")), {
    method, headers, body: takesBody ? file ?? json : undefined, credentials: "same-origin", redirect: "error",
  });
  const text = await answer.text();
  let said = {};
  try { said = text ? JSON.parse(text) : {}; } catch { /* Not ours: a proxy's page. */ }
  if (!answer.ok) {
    if (answer.status < 500 && answer.status !== 429) form.idempotencyKey = undefined;
    if (answer.status === 401 && csrf) return ended();
    if (said.code && said.code === form.dataset.behind) { await catchUp(form); throw new Wrong(form.dataset.behindText); }
    throw new Wrong(said.code ? `${said.message} (${said.code})` : `${answer.status} ${answer.statusText}`);
  }
  form.idempotencyKey = undefined;
  await done(form, said, fill);
}

// What the form was made for has changed: shows how it is now, and what was typed stays, to be sent again on purpose.
async function catchUp(form) {
  await look();
  for (const field of form.querySelectorAll("[data-follows]")) {
    const now = document.getElementById(field.dataset.follows)?.dataset.now;
    if (now !== undefined) field.value = now;
  }
}

async function done(form, answer, fill) {
  const { go, goIf, show, showLabel } = form.dataset;
  form.closest("dialog")?.close();
  if (show && answer[show]) {
    const box = make("div");
    box.append(make("p", "hint", showLabel), make("code", "secret", answer[show]));
    await dialog(showLabel, box, [
      { text: words.copy, className: "primary", does: (button) => copy(answer[show]).then(() => { button.textContent = words.copied; }) },
      { text: words.close, value: true },
    ]);
  }
  if (goIf) {
    const [field, address] = goIf.split(/:(.*)/s);
    if (answer[field]) return location.assign(fill(address));
  }
  if (go) return location.assign(fill(go).replace(/\{answer\.(\w+)\}/g, (_, name) => encodeURIComponent(answer[name] ?? "")));
  form.reset();
  settled.add(form);
  toast(form.dataset.done ?? words.done);
  await look();
}

async function submit(form) {
  // What is sent is what was seen when it was pressed, though the page may change while a question waits.
  form.setAttribute("data-keep", "");
  try { await send(form); } finally { form.removeAttribute("data-keep"); }
}

async function send(form) {
  const button = form.querySelector("button[type=submit]");
  const { confirm } = form.dataset;
  if (confirm) {
    const sure = await dialog(button.textContent, make("p", "", confirm), [
      { text: words.cancel, value: false },
      { text: button.textContent, className: button.classList.contains("danger") ? "danger" : "primary", value: true },
    ]);
    if (!sure) return;
  }
  button.disabled = true;
  form.querySelector(".form-error")?.setAttribute("hidden", "");
  try {
    await call(form);
  } catch (error) {
    complain(form, error instanceof Wrong ? error.message : words.unreachable);
  } finally {
    button.disabled = false;
  }
}

function ended() {
  const here = location.pathname + location.search;
  location.assign(`/console/_login?ended=yes&next=${encodeURIComponent(here)}`);
}

// ---- Live parts ----

// Forms that were just sent: what they hold is the server's again, though they still have the focus.
const settled = new WeakSet();

// Makes `old` like `fresh`, keeping what the person is doing: fields being edited, opened details, focus.
function morph(old, fresh) {
  const free = settled.delete(old);
  if (old.isEqualNode(fresh)) return;
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName || (old.id ?? "") !== (fresh.id ?? "")) {
    old.replaceWith(document.importNode(fresh, true));
    return;
  }
  if (old.nodeType === Node.TEXT_NODE) { old.data = fresh.data; return; }
  if (old.nodeType !== Node.ELEMENT_NODE) return;
  const kept = old.matches("dialog[open], form:focus-within, [data-keep]") || (old.matches("form[data-call]") && typedIn(old));
  if (kept && !free) return;
  attributes(old, fresh);
  children(old, fresh);
  if (old.matches("textarea")) old.value = old.defaultValue;
}

// A form that somebody has begun to fill in keeps all of its state, so that text and version never come from different times.
function typedIn(form) {
  return [...form.elements].some((field) => field.type !== "hidden" && (
    field.type === "checkbox" ? field.checked !== field.defaultChecked : "defaultValue" in field && field.value !== field.defaultValue));
}

function attributes(old, fresh) {
  // What nobody can have typed is always the server's.
  const kept = new Set(old.type === "hidden" ? [] : ["open", "value", "checked"]);
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && !kept.has(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (!kept.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
}

function children(old, fresh) {
  // Rows with a key move as they are, so that what is pressed is what was seen.
  const keyed = new Map([...old.children].filter((child) => child.dataset?.key).map((child) => [child.dataset.key, child]));
  let place = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const same = wanted.dataset?.key ? keyed.get(wanted.dataset.key) : undefined;
    if (same) {
      if (same !== place) old.insertBefore(same, place); else place = place.nextSibling;
      morph(same, wanted);
    } else if (place && !place.dataset?.key && !wanted.dataset?.key) {
      const next = place.nextSibling;
      morph(place, wanted);
      place = next;
    } else {
      old.insertBefore(document.importNode(wanted, true), place);
    }
  }
  while (place) { const next = place.nextSibling; place.remove(); place = next; }
}

let looking, next;

// Ends when the page shows what was so when this was called, or later.
function look() {
  if (!looking) return (looking = lookOnce().finally(() => { looking = undefined; }));
  return (next ??= looking.then(() => { next = undefined; return look(); }));
}

async function lookOnce() {
  try {
    const answer = await fetch(location.href, { headers: { "Fastness-Again": "yes" }, credentials: "same-origin" });
    if (answer.status === 401) return ended();
    if (!answer.ok) return alive(false);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of document.querySelectorAll("[data-live]")) {
      const now = fresh.getElementById(part.id);
      if (now) morph(part, now);
    }
    alive(true);
  } catch {
    alive(false);
  }
}

function alive(on) {
  const lamp = document.getElementById("live");
  if (!lamp) return;
  lamp.classList.toggle("on", on);
  lamp.classList.toggle("off", !on);
  const text = on ? lamp.dataset.on : lamp.dataset.off;
  if (lamp.textContent !== text) lamp.textContent = text;
}

function listen() {
  const address = meta("live");
  if (!address) return;
  let source, stale = false;
  const open = () => {
    source = new EventSource(address);
    source.addEventListener("open", () => alive(true));
    source.addEventListener("error", () => {
      alive(false);
      // A refused stream is not opened again by the browser.
      if (source.readyState === EventSource.CLOSED) setTimeout(() => { open(); look(); }, 3000);
    });
    source.addEventListener("look", () => { if (document.hidden) stale = true; else look(); });
  };
  document.addEventListener("visibilitychange", () => { if (!document.hidden && stale) { stale = false; look(); } });
  addEventListener("pagehide", () => source?.close());
  addEventListener("pageshow", (event) => { if (event.persisted) { open(); look(); } });
  open();
}

// A page that cannot be shown now: looks whether it can by now, and comes back then.
async function comeBack() {
  const answer = await fetch(location.href, { headers: { "Fastness-Again": "yes" }, credentials: "same-origin" }).catch(() => null);
  if (answer && answer.status < 500) return location.reload();
  wait();
}

function wait() {
  const { again } = document.body.dataset;
  if (again) setTimeout(comeBack, again * 1000);
}

// ---- Times in the browser's own zone ----

document.addEventListener("pointerover", (event) => {
  const time = event.target.closest?.("time[datetime]");
  if (!time) return;
  const at = new Date(time.getAttribute("datetime"));
  if (!isNaN(at)) time.title = at.toLocaleString(document.documentElement.lang, { dateStyle: "full", timeStyle: "long" });
});

// ---- What is pressed ----

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form[data-call]")) return;
  event.preventDefault();
  submit(form);
});

document.addEventListener("click", (event) => {
  const on = (selector) => event.target.closest?.(selector);
  const opener = on("[data-opens]"), closer = on("[data-closes]"), menu = on("[data-menu]"), copied = on("[data-copy]");
  if (opener) opener.nextElementSibling.showModal();
  if (closer) closer.closest("dialog").close();
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
  if (event.target.matches?.("dialog")) event.target.close();
});

document.addEventListener("change", (event) => {
  const file = event.target.files?.[0], name = event.target.form?.querySelector("[data-kind=path]");
  if (file && name && !name.value) name.value = file.name;
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") for (const pick of document.querySelectorAll("details.pick[open]")) pick.open = false;
  const typing = event.target.matches?.("input, textarea, select, [contenteditable]");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    const first = document.querySelector(".filters input");
    if (first) { event.preventDefault(); first.focus(); }
  }
});

listen();
wait();
