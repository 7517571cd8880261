
// ---- Forms: a change is a call of the API ----

// Longer than the server's own limits; files take as long as they take.
const CALL_MS = 40000;

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
    // One that nobody touched is sent as it came: in another zone, or in the hour that comes twice, it would be another one.
    case "moment": return text === "" ? undefined : text === field.defaultValue && field.dataset.utc || new Date(text).toISOString();
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
  return field.closest("label")?.querySelector(".field-label")?.firstChild?.textContent.trim() ?? field.name;
}

// A name with a dot lies inside: `item.name` is {"item": {"name": …}}; a number is a place in a list: `items.0.name`. What lies inside of
// typed JSON is put into it.
function put(body, name, value) {
  const parts = name.split(".");
  let place = body;
  parts.slice(0, -1).forEach((part, at) => {
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
    if (!field.name || !kind || field.disabled) continue;
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

// The key of a try whose outcome is unknown stays, as long as the same is asked: then it is done once. Something else has its own.
const tries = new WeakMap();

function keyOf(form, asked) {
  const before = tries.get(form);
  if (before?.asked !== asked) tries.set(form, { asked, key: newKey() });
  return tries.get(form).key;
}

function complain(form, text) {
  const place = form.querySelector(".form-error");
  if (!place || !form.classList.contains("with-fields")) return toast(text, true);
  const [headline, ...more] = text.split("\n");
  place.replaceChildren(more.length ? make("strong", "", headline) : headline, ...more.map((line) => `\n${line}`));
  place.hidden = false;
}

async function call(form) {
  const { text: json, file, fill } = gathered(form);
  const method = form.dataset.call, address = fill(form.getAttribute("action"));
  const takesBody = form.querySelector("[data-kind]:not([data-kind=path])");
  const asked = [address, json, file?.name, file?.size, file?.lastModified].join(" ");
  const headers = { "Idempotency-Key": keyOf(form, asked) };
  const csrf = meta("csrf");
  if (csrf) headers["X-CSRF-Token"] = csrf;
  if (takesBody) {
    const type = form.querySelector("[data-type]")?.dataset.type || file?.type || "application/octet-stream";
    headers["Content-Type"] = file ? type : "application/json";
  }
  const answer = await fetch(address, {
    method, headers, body: takesBody ? file ?? json : undefined, credentials: "same-origin", redirect: "error",
    signal: file ? undefined : AbortSignal.timeout(CALL_MS),
  });
  const text = await answer.text();
  let said = {};
  try { said = text ? JSON.parse(text) : {}; } catch { /* Not ours: a proxy's page. */ }
  if (answer.status < 500 && answer.status !== 429) tries.delete(form);
  if (!answer.ok) return refused(form, answer, said);
  await done(form, said, fill);
}

async function refused(form, answer, said) {
  entering = false;
  if (said.code === "SKEY" && meta("csrf")) return ended();
  if (said.code && said.code === form.dataset.behind) { await catchUp(form); throw new Wrong(form.dataset.behindText); }
  if (!said.code) throw new Wrong(`${answer.status} ${answer.statusText}`);
  if (said.code === form.dataset.instead) throw new Wrong(typedInto(form, form.dataset.insteadText));
  const plain = await inPlainWords(said.code);
  const repeats = plain && same(plain, said.message);
  const lines = [headline(form, said), repeats ? `${plain} (${said.code})` : plain, repeats ? undefined : `${said.message} (${said.code})`];
  throw new Wrong(lines.filter(Boolean).join("\n"));
}

// What was refused: the field that the server names, or what the form is for. Of a fault it is not said that it was refused, for it may
// have been done.
function headline(form, { code, message }) {
  const field = "AN".includes(code[0]) ? named(form, message) : undefined;
  field?.setAttribute("aria-invalid", "true");
  field?.focus();
  if (field) return words.fieldRefused.replace("{field}", () => labelOf(field));
  const what = form.closest("dialog")?.querySelector(".dialog-head h2")?.textContent ?? form.querySelector("button[type=submit]").textContent;
  return ("BTX".includes(code[0]) ? words.failed : words.refused).replace("{what}", () => what.trim().replace(/…$/, ""));
}

// The field whose name comes first in a sentence of the server's, or whose value stands there between `…`.
function named(form, message) {
  const seen = [...form.elements].filter((field) => field.name && field.dataset.kind && field.type !== "hidden" && !field.disabled);
  const first = (text) => {
    const at = ({ name }) => text.search(new RegExp(`(^|[^\\w-])${name.split(".").at(-1).replace(/\W/g, ".")}($|[^\\w-])`));
    const found = seen.map((field) => [at(field), field]).filter(([place]) => place >= 0);
    return found.sort(([one], [other]) => one - other)[0]?.[1];
  };
  const typed = () => seen.find((field) => field.value && message.includes(`\`${field.value}\``));
  return first(message.replace(/`[^`]*`/g, "``")) ?? typed() ?? first(message);
}

// `{name}` is what stands in that field.
function typedInto(form, text) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => form.elements[name]?.value.trim() ?? whole);
}

// Whether two sentences say the same, word for word.
function same(one, other) {
  const words = (text) => text.toLowerCase().replace(/\.$/, "");
  return words(one) === words(other);
}

// What codes mean, in the person's language: asked for with the first refusal.
let meanings;

async function inPlainWords(code) {
  meanings ??= fetch("/console/_refusals", { credentials: "same-origin", signal: AbortSignal.timeout(3000) }).then((answer) => answer.json());
  // That something is not as it must be, the headline says, and of what.
  try { const all = await meanings; return all[code] ?? (code[0] === "A" ? undefined : all[code[0]]); } catch { meanings = undefined; return undefined; }
}

// What the form was made for has changed: shows how it is now, and what was typed stays, to be sent again on purpose.
async function catchUp(form) {
  await look();
  for (const field of form.querySelectorAll("[data-follows]")) {
    const now = document.getElementById(field.dataset.follows)?.dataset.now;
    if (now !== undefined) field.value = now;
  }
}

// The password was changed, and the session ended with the old one: the same person comes in with the new one, or by the login page.
async function entered({ dataset, elements }) {
  const body = JSON.stringify({ account: dataset.account, password: elements.new.value });
  const headers = { "Content-Type": "application/json", "Idempotency-Key": newKey() };
  const asked = { method: "POST", headers, body, credentials: "same-origin", redirect: "error", signal: AbortSignal.timeout(CALL_MS) };
  const answer = await fetch(dataset.enters, asked).catch(() => undefined);
  return answer?.ok;
}

async function done(form, answer, fill) {
  const { go, goIf, show, showLabel, enters } = form.dataset;
  if (enters && !(await entered(form))) return location.assign(`/console/_login?next=${encodeURIComponent(go)}`);
  form.closest("dialog")?.close();
  if (show && answer[show]) {
    const box = make("div");
    box.append(make("p", "hint", showLabel), make("code", "secret", answer[show]));
    await dialog(showLabel, box, [
      { text: words.copy, className: "primary", does: (button) => copy(answer[show]).then(() => { button.textContent = words.copied; }) },
      { text: words.close, value: true },
    ], true);
  }
  if (goIf) {
    const [field, address] = goIf.split(/:(.*)/s);
    if (answer[field]) return location.assign(fill(address));
  }
  if (go) return location.assign(fill(go).replace(/\{answer\.(\w+)\}/g, (_, name) => encodeURIComponent(answer[name] ?? "")));
  form.reset();
  toast(form.dataset.done ?? words.done);
  renewed.add(form);
  try { await look(); } finally { renewed.delete(form); }
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
  entering = "enters" in form.dataset;
  form.querySelector(".form-error")?.setAttribute("hidden", "");
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  try {
    await call(form);
  } catch (error) {
    entering = false;
    complain(form, error instanceof Wrong ? error.message : words.unreachable);
  } finally {
    button.disabled = false;
  }
}

// Fields that only some choices of another field have.
function fitFields(form) {
  for (const label of form?.querySelectorAll("[data-only]") ?? []) {
    label.hidden = !label.dataset.for.split(" ").includes(form.elements[label.dataset.only].value);
    label.querySelector("[name]").disabled = label.hidden;
  }
}

for (const what of ["change", "focusin"]) document.addEventListener(what, (event) => fitFields(event.target.form));

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form[data-call]")) return;
  event.preventDefault();
  submit(form);
});

document.addEventListener("change", (event) => {
  const file = event.target.files?.[0], name = event.target.form?.querySelector("[data-kind=path]");
  if (file && name && !name.value) name.value = file.name;
});
