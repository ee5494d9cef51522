// A button that lets time run: go(t) from now() to last(), a step at a time.

import { make } from "./controls.js";

const PACE = 350; // ms: shorter than the pause after which a lab speaks

/** Not there for readers who ask for less motion: they have the slider. */
export function play(element, { play, pause }, { now, last, go }) {
  const button = make("button", { type: "button" }, play);
  const box = make("div", { class: "control play" }, button);
  box.hidden = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let timer = 0;
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    button.textContent = play;
  };
  const step = () => {
    go(now() + 1);
    if (now() >= last()) stop();
  };
  button.addEventListener("click", () => {
    if (timer) return stop();
    if (now() >= last()) go(0);
    timer = setInterval(step, PACE);
    button.textContent = pause;
  });
  element.ends.signal.addEventListener("abort", stop);
  return { element: box, stop };
}
