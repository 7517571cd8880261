// Runs axe-core, which is in the page already, and gives a line for each rule that it finds seriously or critically broken,
// with the first of the places. `preload` would fetch style sheets of others; there are none.
const done = arguments[arguments.length - 1];
const SHOWN = 3;
const place = node => `${node.target.join(" ")}: ${node.failureSummary.replace(/\s+/g, " ").replace("Fix any of the following: ", "")}`;
const line = rule => `axe: ${rule.id} (${rule.impact}) in ${rule.nodes.length} places: ${rule.nodes.slice(0, SHOWN).map(place).join(" | ")}`;
axe.run(document, { resultTypes: ["violations"], preload: false }).then(
    found => done(found.violations.filter(rule => rule.impact === "serious" || rule.impact === "critical").map(line)),
    error => done([`axe: ${error}`]));
