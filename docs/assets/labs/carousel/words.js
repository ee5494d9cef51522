// What is said of the roads that a gradient takes, in both languages.

import { T } from "results/carousel.json";

export const words = {
  en: {
    f: "Forget gate f",
    g: "Scale g of W_hh",
    roads: "All roads",
    x: "steps back ℓ",
    y: "gradient norm (log scale)",
    direct: "direct path",
    all: "all roads",
    plain: "plain network",
    whole: () =>
      `On the direct path f = 1 loses nothing: after ${T} steps the whole ` +
      `gradient is still there.`,
    share: (f, left) =>
      `On the direct path f = ${f} takes its share at every step: after ` +
      `${T} steps ${left} of the gradient is left.`,
    beside: (left) => ` The plain network beside it has ${left} left.`,
    some: (left) => left,
    none: "nothing",
    unseen: (left) =>
      ` W_hh is not on that road: its scale moves only the plain network, ` +
      `which has ${left} left.`,
    one: (said, left) =>
      `With W_hh at zero there are no detours: all roads are the one road, ` +
      `and ${said} = ${left} is exact.`,
    more: (said, left, all, times) =>
      `${said} says ${left}, but all roads together leave ${all}, ${times} ` +
      `times as much: the rest came by way of W_hh.`,
    grown: (said, left, all, times) =>
      `${said} says ${left}, but the gradient grows to ${all} by all roads, ` +
      `${times} times as much: what the gate takes, W_hh more than gives ` +
      `back.`,
    raised: (said, left, all) =>
      `${said} says ${left}, but by all roads the gradient grows to ${all}: ` +
      `the gate keeps everything, and W_hh adds to it.`,
  },
  zh: {
    f: "遗忘门 f",
    g: "W_hh 的倍数 g",
    roads: "所有的路",
    x: "往回走的步数 ℓ",
    y: "梯度的范数（对数刻度）",
    direct: "直接的路",
    all: "所有的路",
    plain: "普通网络",
    whole: () => `f = 1，直接的路一点不丢：走完 ${T} 步，梯度还是整个的。`,
    share: (f, left) =>
      `f = ${f}，直接的路每一步都要打个折：走完 ${T} 步，梯度剩下 ${left}。`,
    beside: (left) => `旁边的普通网络${left}。`,
    some: (left) => `只剩 ${left}`,
    none: "什么也不剩",
    unseen: (left) => `W_hh 不在这条路上：调 g，动的只有普通网络，它${left}。`,
    one: (said, left) =>
      `W_hh 归零，弯路全断了：所有的路就是这一条，${said} = ${left} 分毫不差。`,
    more: (said, left, all, times) =>
      `${said} 说只剩 ${left}，所有的路合起来却剩 ${all}，是它的 ${times} ` +
      `倍：多出来的，是绕道 W_hh 走回来的。`,
    grown: (said, left, all, times) =>
      `${said} 说只剩 ${left}，算上所有的路，梯度反而长到 ${all}，是它的 ` +
      `${times} 倍：门拿走的，W_hh 加倍还了回来。`,
    raised: (said, left, all) =>
      `${said} 说是 ${left}，算上所有的路，梯度却长到 ${all}：` +
      `门什么也没拿走，W_hh 还往上添。`,
  },
};
