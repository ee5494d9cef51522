// What is said of inputs and answers, in both languages.

const steps = (n) => (n === 1 ? "one step" : `${n} steps`);

export const words = {
  en: {
    task: "Task",
    tasks: {
      opinion: "opinion (classification)",
      tags: "parts of speech (labelling)",
      melody: "melody (generation)",
      quarters: "quarters (forecasting)",
      numbers: "numbers (sequence to sequence)",
    },
    example: "Example",
    of: (k, n) => `${k} of ${n}`,
    one: "Move one blank",
    none: "none",
    several: (n) => `${n} blanks`,
    buttons: "Inputs: press to blank",
    press: "Press an input to blank it",
    input: "input",
    answer: "answer",
    was: (old) => `was ${old}`,
    nothing: "nothing",
    joined: (n) => `a row of steps from 1 to ${n} with _ between them`,
    step: (t) => `step ${t}`,
    quote: (text) => `‘${text}’`,
    number: (text) => text,
    list: (names) =>
      names.length < 2
        ? names.join("")
        : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`,
    inputs: (n) => `${n} of the inputs`,
    untouched: (now) =>
      `Nothing is blank, and the answer is ${now}. Which input could it do ` +
      `without? Blank one.`,
    same: (gone, now) =>
      `Without ${gone}, the answer stays as it was, or nearly: ${now}. ` +
      `Nobody would notice.`,
    turns: (gone, old, now) =>
      `Without ${gone}, the answer turns from ${old} into ${now}`,
    after: (d) => `, and the change reaches ${steps(d)} ahead.`,
    before: (d) =>
      `, and the change reaches ${steps(d)} back: this network reads from ` +
      `both ends.`,
    here: ", right where the blank is.",
    shared: ". Put any single one back, and that does not change.",
    all: (now) =>
      `Everything is blank, and the network still answers something: ${now}. ` +
      `That is what it guesses when it has read nothing.`,
  },
  zh: {
    task: "任务",
    tasks: {
      opinion: "评价（分类）",
      tags: "词性（标注）",
      melody: "旋律（生成）",
      quarters: "季度（预测）",
      numbers: "数字（序列到序列）",
    },
    example: "例子",
    of: (k, n) => `${k} / ${n}`,
    one: "只遮一个",
    none: "不遮",
    several: (n) => `遮了 ${n} 个`,
    buttons: "输入：按一下就遮住",
    press: "点一个输入，把它遮住",
    input: "输入",
    answer: "答案",
    was: (old) => `原为 ${old}`,
    nothing: "无",
    joined: (n) => `用 _ 隔开的步数（1 到 ${n}）`,
    step: (t) => `第 ${t} 步`,
    quote: (text) => `‘${text}’`,
    number: (text) => ` ${text} `,
    list: (names) => names.join("、"),
    inputs: (n) => ` ${n} 个输入`,
    untouched: (now) =>
      `什么都没遮，答案是${now.trimEnd()}。少了哪个输入也不要紧？遮一个试试。`,
    same: (gone, now) =>
      `遮住${gone}，答案不变，或者几乎不变：${now.trimEnd()}，少了也看不出来。`,
    turns: (gone, old, now) =>
      `遮住${gone}，答案就从${old}变成${now.trimEnd()}`,
    after: (d) => `，影响传到 ${d} 步之外。`,
    before: (d) => `，连 ${d} 步之前的答案也跟着变：这个网络从两头读。`,
    here: "，变的就是遮住的那一步。",
    shared: "。只放回其中任何一个，这一点都不会变。",
    all: (now) =>
      `全遮住了，网络还是要给个答案：${now.trimEnd()}。什么也没读到，它就这么猜。`,
  },
};
