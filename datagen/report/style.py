"""Looks of the report page: light and dark by the reader's own setting, nothing loaded from elsewhere."""

CSS = """
:root { color-scheme: light dark; --ink: #1d2129; --dim: #646b78; --line: #dfe2e8; --page: #fff; --card: #f6f7f9;
  --bar: #3a6ea5; --good: #2c7a4b; --bad: #b3402a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7e9ee; --dim: #9aa2b1; --line: #333944; --page: #15181d;
  --card: #1d2128; --bar: #6fa3d8; --good: #6cc28d; --bad: #e5866f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px 28px 64px; max-width: 1240px; background: var(--page); color: var(--ink);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { font-size: 24px; margin: 0 0 2px; } h2 { font-size: 17px; margin: 36px 0 10px; }
h3 { font-size: 14px; margin: 0; font-weight: 600; }
p { margin: 4px 0; } .dim { color: var(--dim); } code { font: 12.5px ui-monospace, Menlo, Consolas, monospace; }
pre { background: var(--card); padding: 10px 12px; border-radius: 6px; overflow-x: auto; margin: 8px 0; }
nav { margin: 10px 0 0; } nav a { margin-right: 14px; color: var(--bar); text-decoration: none; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(122px, 1fr)); gap: 10px; margin: 18px 0 0; }
.card { background: var(--card); border-radius: 8px; padding: 10px 14px; }
.card b { display: block; font-size: 21px; font-weight: 650; font-variant-numeric: tabular-nums; }
.card span { color: var(--dim); font-size: 12.5px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; min-width: 380px; font-variant-numeric: tabular-nums; }
table.sort { width: 100%; }
th { text-align: left; font-weight: 600; color: var(--dim); border-bottom: 1px solid var(--line); cursor: pointer;
  white-space: nowrap; user-select: none; }
td { border-bottom: 1px solid var(--line); vertical-align: top; }
th, td { padding: 4px 10px 4px 0; } td.n, th.n { text-align: right; }
.short { color: var(--bad); font-weight: 600; } .full { color: var(--good); }
.split { display: flex; height: 26px; border-radius: 5px; overflow: hidden; margin: 8px 0 4px; }
.split div { min-width: 2px; } .legend span { margin-right: 18px; white-space: nowrap; }
.legend i { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 6px; }
.strip { margin: 0 0 16px; } .strip img { display: block; max-width: 100%; height: auto; border-radius: 4px; }
.strip p { margin: 1px 0 4px; }
.sheet { display: flex; flex-wrap: wrap; gap: 12px 14px; } .sheet figure { margin: 0; }
.sheet div { display: flex; flex-wrap: wrap; gap: 2px; } .sheet img { display: block; border-radius: 3px; }
.sheet figcaption { font-size: 12px; }
svg.hist { display: block; } svg.hist rect { fill: var(--bar); }
details { margin: 4px 0; } summary { cursor: pointer; } ul { margin: 4px 0 8px; padding-left: 22px; }
footer { margin-top: 48px; color: var(--dim); font-size: 12.5px; }
"""

STAGE_COLOURS = {
    "build": "#8d99ae",
    "plan": "#e0a458",
    "simulate": "#4f9d8f",
    "render": "#3a6ea5",
    "encode": "#8e5ea2",
    "write": "#c1554d",
}
OTHER_COLOUR = "#a0a6b0"

# A click on a column's heading sorts by it; the second click the other way.
SORT_SCRIPT = """
document.querySelectorAll("table.sort th").forEach((head, column) => head.addEventListener("click", () => {
  const body = head.closest("table").tBodies[0], rows = [...body.rows];
  const key = row => row.cells[head.cellIndex].dataset.v ?? row.cells[head.cellIndex].textContent;
  const sign = head.dataset.up = head.dataset.up === "1" ? "-1" : "1";
  rows.sort((a, b) => sign * (isNaN(key(a)) || isNaN(key(b)) ? key(a).localeCompare(key(b)) : key(a) - key(b)));
  body.append(...rows);
}));
"""
