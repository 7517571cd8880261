// Our own rules; gives a line for each fault. arguments[0] is the width of the window.
const faults = [];
const all = css => [...document.querySelectorAll(css)].filter(one => one.checkVisibility({ visibilityProperty: true }));
const show = one => one.outerHTML.replace(/\s+/g, " ").slice(0, 120);
const words = text => (text ?? "").trim().length > 0;
const labelled = one => words(one.getAttribute("aria-label"))
    || (one.getAttribute("aria-labelledby") ?? "").split(/\s+/).some(id => id && words(document.getElementById(id)?.textContent));

if (!document.documentElement.lang) faults.push("rule: the page does not say its language");
if (!words(document.title)) faults.push("rule: the page has no title");
if (all("main").length !== 1) faults.push(`rule: the page has ${all("main").length} main parts`);

const fields = "input:not([type=hidden], [type=submit], [type=button], [type=image]), select, textarea";
for (const field of all(fields)) {
    const named = labelled(field) || [...field.labels ?? []].some(label => words(label.textContent));
    if (!named) faults.push(`rule: a field has no label: ${show(field)}`);
}
for (const one of all("button, a[href], summary, [role=button]")) {
    const named = labelled(one) || words(one.innerText) || words(one.title) || one.querySelector("img[alt], svg title");
    if (!named) faults.push(`rule: a button or link has no name: ${show(one)}`);
}

const headings = all("h1, h2, h3, h4, h5, h6");
const tops = headings.filter(heading => heading.tagName === "H1").length;
if (tops !== 1) faults.push(`rule: the page has ${tops} headings of the first level`);
let before = 0;
for (const heading of headings) {
    const level = Number(heading.tagName[1]);
    if (level > before + 1) faults.push(`rule: a heading of level ${level} follows one of level ${before}: ${show(heading)}`);
    before = level;
}

const seen = new Set();
for (const { id } of document.querySelectorAll("[id]")) {
    if (seen.has(id)) faults.push(`rule: two elements have the id ${id}`);
    seen.add(id);
}
for (const one of document.querySelectorAll("[tabindex]")) {
    if (one.tabIndex > 0) faults.push(`rule: an order of its own for the Tab key: ${show(one)}`);
}

const width = document.scrollingElement.scrollWidth;
if (width > arguments[0]) {
    const wide = all("body *").filter(one => one.getBoundingClientRect().right > arguments[0] + 1).slice(0, 3);
    faults.push(`rule: the page is ${width} wide in a window of ${arguments[0]}: ${wide.map(show).join(" ")}`);
}
return faults;
