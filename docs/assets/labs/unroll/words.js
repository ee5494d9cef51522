// What is said of the two readings, in both languages.

import { counted } from "../parts/format.js";

export const words = {
  en: {
    t: "Read up to word",
    at: "Swapped word",
    word: "Instead",
    net: "Network",
    sentence: "Review",
    play: "Play",
    pause: "Pause",
    nets: {
      trained: "trained",
      start: "before training",
      default: "PyTorch’s start",
    },
    length: (n) => `${n} words`,
    read: (t, T) => `${t} of ${T}`,
    unit: "unit of hₜ",
    distance: "|hₜ − h′ₜ| (log)",
    drag: "Drag sideways to read on or back, or use the slider",
    choose: "Press a word to swap it, or use the slider",
    nothing: () =>
      `Nothing is read yet, and every unit is at 0. Read on, word by word.`,
    before: ({ at, old }) =>
      `So far both have read the same words and have the same state; ` +
      `${old}, word ${at}, is still to come.`,
    parts: ({ old, now, first }) =>
      `One reads ${old}, the other ${now}, and the states part by ${first}. ` +
      `How much of that is left further on?`,
    between: ({ old, now, n, first, last, left }) =>
      `With ${now} for ${old} the states part by ${first}; ` +
      `${counted(n, "word")} later they are ${last} apart, ` +
      `${left}.`,
    end: ({ old, now, n, first, last, left }) =>
      `With ${now} for ${old} the states part by ${first}, and ${n} words ` +
      `later, at the end, they are ${last} apart, ${left}.`,
    times: (ratio) => `${ratio} times that`,
    share: (part) => `${part} of it`,
    verdict: ({ old, now, first }) =>
      `With ${now} for ${old}, the last word, the states part by ${first}, ` +
      `and nothing comes after.`,
    from: (a, b) => `The probability of praise goes from ${a} to ${b}`,
    stays: (a) => `The probability of praise stays at ${a}`,
    kept: ": the answer turns on that word, and it was carried to the end.",
    turns: ": the answer turns on that word.",
    let: ": the answer does not turn on that word.",
    untaught: ": nobody has taught this network what to keep.",
    join: " ",
  },
  zh: {
    t: "读到第几个词",
    at: "换哪个词",
    word: "换成",
    net: "网络",
    sentence: "评论",
    play: "播放",
    pause: "暂停",
    nets: {
      trained: "训练过的",
      start: "训练之前的",
      default: "PyTorch 的初值",
    },
    length: (n) => `${n} 个词`,
    read: (t, T) => `${t}，共 ${T}`,
    unit: "hₜ 的单元",
    distance: "|hₜ − h′ₜ|（对数）",
    drag: "左右拖动，往后读或往回读；也可用滑块",
    choose: "点一个词就换掉它；也可用滑块",
    nothing: () => `一个词也没读，每个单元都在 0。一个词一个词往后读吧。`,
    before: ({ at, old }) =>
      `到这里两边读的都一样，状态也一样；要换的是第 ${at} 个词 ${old}，还没读到。`,
    parts: ({ old, now, first }) =>
      `一边读到 ${old}，一边读到 ${now}，状态差了 ${first}。` +
      `再往后读，还剩多少？`,
    between: ({ old, now, n, first, last, left }) =>
      `把 ${old} 换成 ${now}，状态差 ${first}；又读了 ${n} 个词，差 ${last}，` +
      `是当初的 ${left}。`,
    times: (ratio) => `${ratio} 倍`,
    share: (part) => part,
    end: ({ old, now, n, first, last, left }) =>
      `把 ${old} 换成 ${now}，状态差 ${first}；又读了 ${n} 个词，读完了，` +
      `差 ${last}，是当初的 ${left}。`,
    verdict: ({ old, now, first }) =>
      `把最后一个词 ${old} 换成 ${now}，状态差 ${first}，后面再没有词了。`,
    from: (a, b) => `判为好评的概率从 ${a} 变成 ${b}`,
    stays: (a) => `判为好评的概率还是 ${a}`,
    kept: "：答案要靠这个词，它就一路带到了最后。",
    turns: "：答案要靠这个词。",
    let: "：答案用不着这个词。",
    untaught: "：没人教过这个网络该记什么。",
    join: "",
  },
};
