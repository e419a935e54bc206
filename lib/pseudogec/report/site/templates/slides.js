// Keys lead from slide to slide. A slide too long for the window is printed smaller, in two steps, and scrolls beyond that.
"use strict";

const slides = [...document.querySelectorAll(".slide")];
const forwards = ["ArrowRight", "ArrowDown", "PageDown", " "];
const backwards = ["ArrowLeft", "ArrowUp", "PageUp"];

function shown() {
  const places = slides.map((slide) => Math.abs(slide.getBoundingClientRect().top));
  return places.indexOf(Math.min(...places));
}

function show(place) {
  const slide = slides[Math.max(0, Math.min(slides.length - 1, place))];
  slide.scrollIntoView();
  slide.focus({ preventScroll: true });
  history.replaceState(null, "", `#${slide.id}`);
}

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  // In a box that scrolls, arrow keys scroll it; the other keys still lead on, also those of a presenter's remote control.
  const focused = event.target;
  const scrolls = focused.matches('[tabindex="0"]') && (overflows(focused) || isFull(focused.closest(".content")));
  if (scrolls && event.key.startsWith("Arrow")) return;
  if (forwards.includes(event.key)) show(shown() + 1);
  else if (backwards.includes(event.key)) show(shown() - 1);
  else if (event.key === "Home") show(0);
  else if (event.key === "End") show(slides.length - 1);
  else return;
  event.preventDefault();
});

function fit() {
  for (const content of document.querySelectorAll(".content")) {
    content.classList.remove("small", "smaller");
    for (const size of ["small", "smaller"]) {
      if (!isFull(content)) break;
      content.classList.add(size);
    }
    const scrolls = isFull(content);
    if (scrolls) content.tabIndex = 0;
    else content.removeAttribute("tabindex");
  }
}

function isFull(content) {
  return [content, ...content.querySelectorAll(".scroll")].some(overflows);
}

function overflows(box) {
  return box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
}

addEventListener("load", fit);
addEventListener("resize", fit);
