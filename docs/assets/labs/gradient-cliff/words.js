// What is said of the gradient's length, in both languages.

import { LIMIT } from "./model.js";

export const words = {
  en: {
    g: "Scale g of W",
    s: "Input noise s",
    T: "Steps back T",
    clip: `Clip at norm ${LIMIT}`,
    steps: (n) => `${n} steps`,
    x: "steps back ℓ",
    y: "gradient norm (log scale)",
    bound: (text) => `bound ${text}`,
    far: "far half",
    before: "before clipping",
    reached: (T, left, bound) =>
      `Going back ${T} steps leaves ${left} of the gradient, all that the ` +
      `bound ${bound} allows: the states are at 0, where tanh is steepest.`,
    below: (T, left, bound, value) =>
      `Going back ${T} steps leaves ${left} of the gradient. The bound ` +
      `${bound} = ${value} allows more, but the states lie where tanh is ` +
      `flatter.`,
    noisy: (T, left, bound, value) =>
      `The bound ${bound} = ${value} would let the gradient explode, yet ` +
      `going back ${T} steps leaves ${left}: noise pushes the states to ` +
      `where tanh is flat.`,
    quiet: (T, left, bound, value) =>
      `The bound ${bound} = ${value} would let the gradient explode, yet ` +
      `going back ${T} steps leaves ${left}: the states have grown until ` +
      `tanh flattens.`,
    grown: (T, left, bound, value) =>
      `Going back ${T} steps multiplies the gradient by ${left}. The bound ` +
      `is ${bound} = ${value}.`,
    share: (part) => ` The far half holds ${part} of the whole gradient.`,
    clipped: (norm, factor) =>
      ` The whole has norm ${norm}: clipping multiplies every step by ` +
      `${factor}, and that share stays.`,
    unclipped: (norm) =>
      ` The whole has norm ${norm}, below ${LIMIT}: clipping does nothing.`,
  },
  zh: {
    g: "W 的倍数 g",
    s: "输入噪声 s",
    T: "往回走 T",
    clip: `按范数 ${LIMIT} 裁剪`,
    steps: (n) => `${n} 步`,
    x: "往回走的步数 ℓ",
    y: "梯度的范数（对数刻度）",
    bound: (text) => `上界 ${text}`,
    far: "较远的一半",
    before: "裁剪之前",
    reached: (T, left, bound) =>
      `往回走 ${T} 步，梯度剩下 ${left}，正好用满上界 ${bound}：` +
      `状态都在 0，那里 tanh 最陡。`,
    below: (T, left, bound, value) =>
      `往回走 ${T} 步，梯度剩下 ${left}。上界 ${bound} = ${value} ` +
      `还允许更多，可状态落在 tanh 较平的地方。`,
    noisy: (T, left, bound, value) =>
      `看上界 ${bound} = ${value}，梯度该爆炸了；往回走 ${T} 步却只剩 ` +
      `${left}：噪声把状态推到了 tanh 平坦的地方。`,
    quiet: (T, left, bound, value) =>
      `看上界 ${bound} = ${value}，梯度该爆炸了；往回走 ${T} 步却只剩 ` +
      `${left}：状态自己长大，走到了 tanh 变平的地方。`,
    grown: (T, left, bound, value) =>
      `往回走 ${T} 步，梯度变成原来的 ${left} 倍；上界 ${bound} 是 ` +
      `${value}。`,
    share: (part) => `较远的一半占全部梯度的 ${part}。`,
    clipped: (norm, factor) =>
      `全部梯度的范数是 ${norm}，裁剪把每一步都乘以 ${factor}，` +
      `这个份额不变。`,
    unclipped: (norm) =>
      `全部梯度的范数是 ${norm}，不到 ${LIMIT}，裁剪什么也不做。`,
  },
};
