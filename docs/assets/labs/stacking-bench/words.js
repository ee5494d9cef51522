// What is said of the three stacks, in both languages.

import { counted } from "../parts/format.js";

export const words = {
  en: {
    kind: "Direction",
    kinds: ["one way", "both ways", "in chunks"],
    titles: ["one way", "both ways", "both ways, in chunks"],
    L: "Layers L",
    t: "Output t",
    s: "Input s",
    chunk: "Chunk C",
    ahead: "Ahead R",
    steps: (n) => counted(n, "step"),
    output: (t) => `output ${t}`,
    input: (s) => `input ${s}`,
    wait: "ahead",
    pressOutput: (kind) => `Outputs, ${kind}: press or drag to choose one`,
    pressInput: (kind) => `Inputs, ${kind}: press or drag to choose one`,
    way: {
      right: () => "One way",
      both: () => "Both ways",
      chunked: (C, R) =>
        `In chunks of ${C} with ${R ? counted(R, "step") : "nothing"} ahead`,
    },
    all: (way, t, T) => `${way}, output ${t} sees all ${T} inputs. `,
    only: (way, t) => `${way}, output ${t} sees input 1 and no other. `,
    some: (way, t, last) =>
      `${way}, output ${t} sees inputs 1 to ${last} and nothing later. `,
    none: (s) => `Input ${s} has no path to it: its gradient is 0.`,
    straight: (s, n) =>
      `Input ${s} stands right below, and its gradient comes straight down, ` +
      `along ${counted(n, "path")}.`,
    single: (s, edges) =>
      `The gradient of input ${s} comes down a single path, of ` +
      `${counted(edges, "edge")}.`,
    equal: (s, n, edges) =>
      `The gradient of input ${s} is a sum over ${n} paths, each of ` +
      `${counted(edges, "edge")}; one of them is drawn thick.`,
    spread: (s, n, short, long, whole) =>
      `The gradient of input ${s} is a sum over ${n} paths: the shortest has ` +
      `${counted(short, "edge")}, the longest, drawn thick, ${long}` +
      `${whole ? ", through every step of every layer." : "."}`,
  },
  zh: {
    kind: "方向",
    kinds: ["单向", "双向", "分块双向"],
    titles: ["单向", "双向", "分块双向"],
    L: "层数 L",
    t: "输出 t",
    s: "输入 s",
    chunk: "块长 C",
    ahead: "前瞻 R",
    steps: (n) => `${n} 步`,
    output: (t) => `输出 ${t}`,
    input: (s) => `输入 ${s}`,
    wait: "前瞻",
    pressOutput: (kind) => `${kind}的输出：点一个，或左右拖动`,
    pressInput: (kind) => `${kind}的输入：点一个，或左右拖动`,
    way: {
      right: () => "单向",
      both: () => "双向",
      chunked: (C, R) => `每块 ${C} 步、${R ? `前瞻 ${R} 步` : "不前瞻"}`,
    },
    all: (way, t, T) => `${way}，输出 ${t} 看得见全部 ${T} 个输入。`,
    only: (way, t) => `${way}，输出 ${t} 只看得见输入 1。`,
    some: (way, t, last) =>
      `${way}，输出 ${t} 看得见输入 1 到 ${last}，再往后就看不见了。`,
    none: (s) => `输入 ${s} 没有路径通到它，梯度是 0。`,
    straight: (s, n) =>
      `输入 ${s} 就在正下方，梯度直接落下来，有 ${n} 条路径。`,
    single: (s, edges) => `输入 ${s} 的梯度只有一条路径可走，${edges} 条边。`,
    equal: (s, n, edges) =>
      `输入 ${s} 的梯度是 ${n} 条路径之和，每条都是 ${edges} 条边，粗线画出其中一条。`,
    spread: (s, n, short, long, whole) =>
      `输入 ${s} 的梯度是 ${n} 条路径之和：最短的 ${short} 条边，` +
      `最长的（粗线）${long} 条边` +
      `${whole ? "，每一层的每一步都走遍了。" : "。"}`,
  },
};
