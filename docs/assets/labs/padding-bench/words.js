// What is said of the rows and of the batch, in both languages.

import { counted, fixed } from "../parts/format.js";

const series = (rows) => rows.join(", ").replace(/, (\d+)$/, " and $1");

export const words = {
  en: {
    length: (row) => `Length ${row}`,
    T: "Slots T",
    pad: "Filler",
    row: (n) => `length ${n}`,
    slots: (T) => counted(T, "slot"),
    overflow: "overflow",
    t: "step t",
    mean: "mean reading",
    last: "last state",
    naive: "naive",
    mean_valid: "masked",
    last_valid: "valid",
    none: "none",
    dragRow: (row) => `Row ${row}: drag to change its length`,
    dragT: "Drag to change the number of slots",
    filler: (n, value) =>
      value === 0
        ? counted(n, "zero")
        : `${counted(n, "filler")} of ${fixed(value, 1)}`,
    padded: (row, real, T, filler, naive, masked) =>
      `Row ${row} has ${counted(real, "reading")} in ` +
      `${counted(T, "slot")}. Count the ${filler} and the mean is ` +
      `${naive}; masked, it is ${masked}.`,
    lucky: (row, filler, masked) =>
      `With ${filler}, the mean of row ${row} is right by luck: ${masked}, ` +
      `masked or not.`,
    state: (naive, valid) =>
      naive === valid
        ? ` Read on through them and the last state stays at ${valid}.`
        : ` Read on through them and the last state turns from ${valid} ` +
          `into ${naive}.`,
    empty: (row, naive, state) =>
      `Row ${row} is empty, and so is its mask: nothing to add up, and zero ` +
      `to divide by. It has no mean and no last state. Unmasked, it passes ` +
      `for ${naive} and ${state}, all of it filler.`,
    full: (T) =>
      `Every row fills its ${counted(T, "slot")}: there is nothing to ` +
      `mask, and rings and dots agree.`,
    cut: (rows, lost) =>
      ` ${rows.length === 1 ? "Row" : "Rows"} ${series(rows)} ` +
      `${rows.length === 1 ? "has" : "have"} lost ` +
      `${counted(lost, "reading")}, and nobody will know.`,
    batch: (cells, padded, share) =>
      padded === 0
        ? `None of the ${cells} cells is padding. `
        : `${padded} of the ${cells} cells ${padded === 1 ? "is" : "are"} ` +
          `padding, ${share} %. `,
    means: (cells, all, real, tokens, rows, sequences) =>
      `Mean of the batch: ${cells} over all ${all} cells, ${tokens} over ` +
      `${counted(real, "reading")}, ${sequences} over ` +
      `${counted(rows, "row")}.`,
    nothing: "There is nothing in this batch to take a mean of.",
  },
  zh: {
    length: (row) => `第 ${row} 行长度`,
    T: "位置数 T",
    pad: "填充值",
    row: (n) => `长度 ${n}`,
    slots: (T) => `${T} 个位置`,
    overflow: "放不下",
    t: "步 t",
    mean: "读数的平均",
    last: "最后的状态",
    naive: "直接算",
    mean_valid: "掩码",
    last_valid: "有效",
    none: "没有",
    dragRow: (row) => `第 ${row} 行：左右拖动，改变长度`,
    dragT: "左右拖动，改变位置数",
    filler: (n, value) =>
      value === 0 ? `${n} 个零` : `${n} 个填充（${fixed(value, 1)}）`,
    padded: (row, real, T, filler, naive, masked) =>
      `第 ${row} 行只有 ${real} 个读数，却占了 ${T} 个位置。把补上的 ${filler}` +
      `也算进去，平均是 ${naive}；用掩码挡住，是 ${masked}。`,
    lucky: (row, filler, masked) =>
      `第 ${row} 行把 ${filler}也算了进去，平均碰巧没错：用不用掩码都是 ` +
      `${masked}。`,
    state: (naive, valid) =>
      naive === valid
        ? `一直读到右边缘，状态倒没怎么变，还是 ${valid}。`
        : `一直读到右边缘，状态就从 ${valid} 变成了 ${naive}。`,
    empty: (row, naive, state) =>
      `第 ${row} 行是空的，掩码里一个 1 也没有，没有可加的，也没有可除的：` +
      `平均和最后的状态都不存在。不用掩码，倒会冒出 ${naive} 和 ` +
      `${state}，全是填充造出来的。`,
    full: (T) =>
      `每一行都填满了 ${T} 个位置，没有什么要挡，圆圈和圆点处处重合。`,
    cut: (rows, lost) =>
      `第 ${rows.join("、")} 行有 ${lost} 个读数放不下，丢了也没人知道。`,
    batch: (cells, padded, share) =>
      padded === 0
        ? `${cells} 格里没有一格是填充。`
        : `${cells} 格里有 ${padded} 格是填充，占 ${share} %。`,
    means: (cells, all, real, tokens, rows, sequences) =>
      `整批的平均：按全部 ${all} 格算是 ${cells}，按 ${real} 个读数算是 ` +
      `${tokens}，按 ${rows} 行算是 ${sequences}。`,
    nothing: "这一批里什么也没有，谈不上平均。",
  },
};
