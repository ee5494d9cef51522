// What is said of the square and of the count, in both languages.

export const words = {
  en: {
    r: "Reset gate r",
    z: "Update gate z",
    cell: "Cell",
    D: "Inputs D",
    H: "Units H",
    biases: "Biases",
    one: "one (this book)",
    two: "two (PyTorch)",
    overwrite: "z = 1  OVERWRITE",
    keep: "z = 0  KEEP",
    kept: "kept: h₀ = 1",
    written: "written: x₁ = 1",
    t: "time step t",
    square: "Square of the gates: drag the point, or use the two sliders",
    points: {
      copy: "copy",
      average: "average",
      Elman: "Elman",
      memoryless: "memoryless",
    },
    copy: () =>
      "z = 0: the cell copies its state and never writes. All of it is left " +
      "after 100 steps, and the input leaves no trace.",
    memoryless: (first) =>
      `z = 1 and r = 0: overwritten at every step, from the input alone. ` +
      `The input writes ${first} and nothing of it is left one step later.`,
    elman: (slope, a, b) =>
      `(1, 1) is Elman’s network: overwritten at every step, by tanh(0.9 h). ` +
      `Slope ${slope} per step; ${a} of the state is left after 20 steps, ` +
      `${b} after 100.`,
    average: (slope, a, b, n) =>
      `r = 0 gives a moving average over about ${n} steps (2/z − 1). ` +
      `Slope ${slope} per step; ${a} of the state is left after 20 steps, ` +
      `${b} after 100.`,
    between: (keep, z, r, slope, a, b) =>
      `Each step keeps ${keep} of the state and writes ${z} of a candidate ` +
      `that sees ${r} of it: slope ${slope} per step. ${a} of the state is ` +
      `left after 20 steps, ${b} after 100.`,
    count: (cell, sum, n) => `${cell}: ${sum} = ${n} parameters`,
    ratio: (percent, n) => `, ${percent} % of the LSTM’s ${n}.`,
    full: ", the most of the three.",
  },
  zh: {
    r: "重置门 r",
    z: "更新门 z",
    cell: "单元",
    D: "输入维数 D",
    H: "隐藏维数 H",
    biases: "偏置",
    one: "一组（本书）",
    two: "两组（PyTorch）",
    overwrite: "z = 1  改写",
    keep: "z = 0  保留",
    kept: "保留：h₀ = 1",
    written: "写入：x₁ = 1",
    t: "时间步 t",
    square: "两个门的方格：拖动圆点，或用两个滑块",
    points: {
      copy: "照抄",
      average: "平均",
      Elman: "Elman",
      memoryless: "无记忆",
    },
    copy: () =>
      "z = 0：照抄旧状态，从不写入。一百步之后原样还在，输入也没留下任何痕迹。",
    memoryless: (first) =>
      `z = 1、r = 0：每一步都只凭输入改写。输入写进 ${first}，` +
      `下一步就一点不剩。`,
    elman: (slope, a, b) =>
      `(1, 1) 就是 Elman 网络：每一步都用 tanh(0.9 h) 改写。每步斜率 ` +
      `${slope}；20 步后状态还剩 ${a}，100 步后剩 ${b}。`,
    average: (slope, a, b, n) =>
      `r = 0 时是滑动平均，大约平均 ${n} 步（2/z − 1）。每步斜率 ${slope}；` +
      `20 步后状态还剩 ${a}，100 步后剩 ${b}。`,
    between: (keep, z, r, slope, a, b) =>
      `每一步留下旧状态的 ${keep}，写入候选的 ${z}，候选看到旧状态的 ${r}：` +
      `每步斜率 ${slope}。20 步后状态还剩 ${a}，100 步后剩 ${b}。`,
    count: (cell, sum, n) => `${cell}：${sum} = ${n} 个参数`,
    ratio: (percent, n) => `，是 LSTM（${n} 个）的 ${percent} %。`,
    full: "，三者中最多。",
  },
};
