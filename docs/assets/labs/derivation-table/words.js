// What is said of the copies of w, in both languages.

import { two } from "../parts/format.js";

export const words = {
  en: {
    nudge: "Nudge of w",
    h0: "Start h₀",
    step: (k) => `step ${k}`,
    all: "all steps",
    sum: "sum",
    forgotten: "tanh′ forgotten",
    x: "share of ∂L/∂w",
    measured: "◇ change of L ÷ nudge",
    caption: "What each step’s copy of w is worth",
    heads: ["copy", "hₖ", "∂⁺hₖ/∂w", "∂L/∂hₖ", "term", "L moves"],
    still: (L) =>
      `No copy has moved: L = h₃ = ${L}. Drag the nudge and see which term ` +
      `L follows.`,
    one: (k, by, term, guess, real, from, to) =>
      `${by} step ${k}’s copy of w. Its term, ${term}, says that L moves by ` +
      `${guess}; it moves by ${real}, from ${from} to ${to}.`,
    dead: (by) =>
      `${by} step 1’s copy of w. It multiplies h₀ = 0, so its term is 0 and ` +
      `L stays where it is. Give h₀ another value to wake it.`,
    every: (by, sum, guess, real, from, to, wrong) =>
      `${by} all three copies. The terms add up to ${sum} and say that L ` +
      `moves by ${guess}; it moves by ${real}, from ${from} to ${to}. ` +
      `The formula without tanh′ says ${wrong}.`,
    by: (delta) =>
      delta > 0 ? `Add ${two(delta)} to` : `Take ${two(-delta)} from`,
  },
  zh: {
    nudge: "w 的改动",
    h0: "起点 h₀",
    step: (k) => `第 ${k} 步`,
    all: "每一步",
    sum: "总和",
    forgotten: "漏掉 tanh′",
    x: "在 ∂L/∂w 中的份额",
    measured: "◇ L 的变化 ÷ 改动",
    caption: "每一步的那份 w 值多少",
    heads: ["哪一份", "hₖ", "∂⁺hₖ/∂w", "∂L/∂hₖ", "这一项", "L 变化"],
    still: (L) =>
      `哪一份都没动：L = h₃ = ${L}。拖动改动量，看 L 跟着哪一项走。`,
    one: (k, by, term, guess, real, from, to) =>
      `只把第 ${k} 步用的 w ${by}。它那一项是 ${term}，预计 L 变化 ` +
      `${guess}；实际变化 ${real}，从 ${from} 到 ${to}。`,
    dead: (by) =>
      `只把第 1 步用的 w ${by}。它乘的是 h₀ = 0，这一项是 0，L 一动不动。` +
      `换一个 h₀，它就活过来。`,
    every: (by, sum, guess, real, from, to, wrong) =>
      `把三步的 w 一起${by}。三项加起来是 ${sum}，预计 L 变化 ${guess}；` +
      `实际变化 ${real}，从 ${from} 到 ${to}。漏掉 tanh′ 的公式会说 ` +
      `${wrong}。`,
    by: (delta) => `${delta > 0 ? "加" : "减"} ${two(Math.abs(delta))}`,
  },
};
