// What is said of the bit and of the gates, in both languages.

import { T } from "results/gate_console.json";

import { change } from "../parts/format.js";

const answerEn = (a) => (a === 0 ? "nothing" : change(a, 0));
const answerZh = (a) => (a === 0 ? "答不上来" : `说 ${change(a, 0)}`);

export const words = {
  en: {
    f: "Keep f",
    i: "Write i",
    o: "Show o",
    rows: { f: "keep", i: "write", o: "show" },
    steps: "Set step",
    policy: "Policy",
    byHand: "by hand",
    named: {
      overwritten: "i left open",
      carried: "carried",
      "not erased": "not wiped first",
      faded: "f = 0.9",
      hidden: "o = 0 at the end",
    },
    span: (from, to) => {
      if (from < to) return `${from} to ${to}`;
      return { 1: "1: the bit", [T]: `${T}: asked` }[to] ?? String(to);
    },
    pen: "Gates: draw across the boxes, or use the three sliders",
    cell: (bit) => `cell cₜ, bit ${change(bit, 0)}`,
    shown: "shown hₜ",
    input: "input xₜ",
    reader: "sent → read",
    t: "time step t",
    gates: (n) => `a list of ${n} gates such as 0_1*${n - 1}`,
    both: (a) =>
      a === 0
        ? " The reader cannot answer for either bit."
        : ` The reader says ${change(a, 0)} to both bits, right once by luck.`,
    each: (a, b) =>
      ` The reader says ${answerEn(a)} to a +1 and ${answerEn(b)} to a −1.`,
    carried: ({ h }) =>
      `Both bits arrive: the reader is shown ${h[0]} for a +1 and ${h[1]} ` +
      `for a −1, past the marks. Lower f a little between: how low may it go?`,
    overwritten: ({ noise, signal }) =>
      `Overwritten. Through the open i the distractors brought ${noise}, ` +
      `whichever bit was sent; the bit’s own ±${signal} is buried under it.`,
    "not erased": ({ leftover, c }) =>
      `Not wiped first. The old ${leftover} is still in the cell beside the ` +
      `bit: it ends at ${c[0]} for a +1 and ${c[1]} for a −1.`,
    missed: () =>
      `The bit never got in: i was shut at step 1, and what is in the cell ` +
      `now has nothing to do with it.`,
    wiped: ({ wiped }) =>
      `Wiped: f = 0 at step ${wiped} emptied the cell with the bit in it.`,
    faded: ({ written, signal, need }) =>
      `Faded. ±${written} was written, f has left ±${signal} of it, and the ` +
      `reader needs ${need} in the cell.`,
    faint: ({ written, need }) =>
      `Too faint. i let only ±${written} of the bit in, and the reader needs ` +
      `${need} in the cell.`,
    hidden: ({ c, h, o }) =>
      `Hidden. The cell holds ${c[0]} or ${c[1]}, so the bit is there, but ` +
      `o = ${o} at the last step shows ${h[0]} or ${h[1]} of it.`,
  },
  zh: {
    f: "留 f",
    i: "写 i",
    o: "亮 o",
    rows: { f: "留", i: "写", o: "亮" },
    steps: "拨第几步",
    policy: "策略",
    byHand: "自己拨的",
    named: {
      overwritten: "i 一直开着",
      carried: "带到了",
      "not erased": "没有先擦",
      faded: "f = 0.9",
      hidden: "最后 o = 0",
    },
    span: (from, to) => {
      if (from < to) return `${from} 到 ${to}`;
      return { 1: "1：比特", [T]: `${T}：来问` }[to] ?? String(to);
    },
    pen: "三个门：在格子上划，或用三个滑块",
    cell: (bit) => `细胞 cₜ，比特 ${change(bit, 0)}`,
    shown: "亮出 hₜ",
    input: "输入 xₜ",
    reader: "送来 → 读出",
    t: "时间步 t",
    gates: (n) => `像 0_1*${n - 1} 这样的 ${n} 个门`,
    both: (a) =>
      a === 0
        ? "无论哪个比特，读数的人都答不上来。"
        : `无论哪个比特，读数的人都说 ${change(a, 0)}，对一个全凭运气。`,
    each: (a, b) =>
      `送来 +1，读数的人${answerZh(a)}；送来 −1，${answerZh(b)}。`,
    carried: ({ h }) =>
      `两个比特都带到了：送来 +1，亮出 ${h[0]}；送来 −1，亮出 ${h[1]}，都过了线。` +
      `把中间的 f 拨低一点试试，能低到多少？`,
    overwritten: ({ noise, signal }) =>
      `盖掉了。i 没关，干扰加进来 ${noise}，哪个比特都一样；` +
      `比特自己的 ±${signal} 埋在底下。`,
    "not erased": ({ leftover, c }) =>
      `没有先擦。旧的 ${leftover} 还在，和比特混在一起：` +
      `送来 +1，细胞里是 ${c[0]}；送来 −1，是 ${c[1]}。`,
    missed: () => `第 1 步 i 关着，比特没进来，细胞里的东西与它无关。`,
    wiped: ({ wiped }) => `擦掉了：第 ${wiped} 步 f = 0，比特跟着一起清空。`,
    faded: ({ written, signal, need }) =>
      `淡掉了。写进去 ±${written}，被 f 一步步减到 ±${signal}；` +
      `细胞里要有 ${need}，读数的人才看得清。`,
    faint: ({ written, need }) =>
      `写得太轻。i 只放进来 ±${written}；细胞里要有 ${need}，读数的人才看得清。`,
    hidden: ({ c, h, o }) =>
      `看不见。细胞里是 ${c[0]} 或 ${c[1]}，比特还在，` +
      `可最后一步 o = ${o}，只亮出 ${h[0]} 或 ${h[1]}。`,
  },
};
