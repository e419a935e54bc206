"use strict";

// Tables: a button in the header of each column sorts its rows; the third press restores their order.

function headerOfEachColumn(table) {
  const grid = [];
  [...table.tHead.rows].forEach((row, top) => {
    grid[top] ??= [];
    for (const cell of row.cells) {
      let left = 0;
      while (grid[top][left]) left += 1;
      for (let down = 0; down < cell.rowSpan; down += 1) {
        grid[top + down] ??= [];
        for (let right = 0; right < cell.colSpan; right += 1) grid[top + down][left + right] = cell;
      }
    }
  });
  const lowest = grid[grid.length - 1] ?? [];
  return lowest.map((cell, column) => {
    const heads = grid.map((row) => row[column]).filter((head) => head?.tagName === "TH" && head.colSpan === 1);
    return heads.at(-1);
  });
}

function numberIn(text) {
  const found = text.replaceAll("\u2212", "-").replaceAll(",", "").match(/^[+-]?\d+(\.\d+)?/);
  return found ? Number(found[0]) : NaN;
}

function comparison(texts) {
  const byText = (one, other) => one.localeCompare(other, "en", { numeric: true });
  const filled = texts.filter((text) => text !== "");
  if (filled.some((text) => Number.isNaN(numberIn(text)))) return byText;
  return (one, other) => numberIn(one) - numberIn(other) || byText(one, other); // two dates may begin with the same number
}

function sort(table, rows, column, direction) {
  const textOf = (row) => row.cells[column].textContent.trim();
  const compare = comparison(rows.map(textOf));
  const sorted = direction === 0 ? rows : [...rows].sort((one, other) => {
    const [left, right] = [textOf(one), textOf(other)];
    if (left === "" || right === "") return (left === "") - (right === ""); // what is missing comes last
    return direction * compare(left, right);
  });
  table.tBodies[0].append(...sorted);
}

function makeSortable(table) {
  const rows = [...(table.tBodies[0]?.rows ?? [])];
  const spanned = rows.some((row) => [...row.cells].some((cell) => cell.colSpan > 1 || cell.rowSpan > 1));
  if (!table.tHead || rows.length < 2 || spanned) return;
  const heads = headerOfEachColumn(table);
  heads.forEach((head, column) => {
    if (!head || head.querySelector("button")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.title = "Sort by this column";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      heads.forEach((other) => other?.removeAttribute("aria-sort"));
      const next = { null: "ascending", ascending: "descending", descending: null }[before];
      if (next) head.setAttribute("aria-sort", next);
      sort(table, rows, column, { ascending: 1, descending: -1 }[next] ?? 0);
    });
  });
}

// Figures: the link to the larger picture opens it in a dialog of this page.

function makeEnlargeable(link, dialog) {
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const [small, large] = [link.querySelector("img"), dialog.querySelector("img")];
    large.src = link.href;
    large.alt = small.alt;
    dialog.showModal();
  });
}

// Boxes that scroll are a stop for the keyboard only while they have something to scroll to.

function updateTabStops(boxes) {
  for (const box of boxes) {
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
    if (box.matches(".scroll")) box.closest(".table")?.classList.toggle("scrolls", box.scrollWidth > box.clientWidth);
  }
}

function showAllCode(button) {
  const shown = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", shown);
  document.querySelectorAll("details.code").forEach((details) => { details.open = shown; });
}

// Paper cannot be unfolded.

let unfolded = [];

addEventListener("beforeprint", () => {
  unfolded = [...document.querySelectorAll("details:not([open])")];
  unfolded.forEach((details) => { details.open = true; });
});

addEventListener("afterprint", () => {
  unfolded.forEach((details) => { details.open = false; });
});

document.querySelectorAll("main table").forEach(makeSortable);

const dialog = document.getElementById("picture");
document.querySelectorAll("a.enlarge").forEach((link) => makeEnlargeable(link, dialog));
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

const boxes = document.querySelectorAll(".scroll, .formula, main pre");
const watch = new ResizeObserver(() => updateTabStops(boxes));
boxes.forEach((box) => watch.observe(box));

const allCode = document.getElementById("all-code");
if (allCode) {
  allCode.hidden = false;
  allCode.addEventListener("click", () => showAllCode(allCode));
}

const contents = document.querySelector(".contents details");
if (contents && matchMedia("(max-width: 60rem)").matches) contents.open = false;
