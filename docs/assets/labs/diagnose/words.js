// What the six runs are called, and what is said to each diagnosis.

import study from "results/six_runs.json";

import { counted, fixed, two } from "../parts/format.js";

/** What is nearly zero keeps a digit. */
export const nats = (value) => (value < 0.1 ? fixed(value, 4) : two(value));

/** 0.984 -> "98.4 %", 0.57 -> "57 %": what is not quite all isn't all. */
export const share = (value) =>
  `${fixed(100 * value, value > 0.95 && value < 1 ? 1 : 0)} %`;

const LAST = study.runs[0].t.at(-1);
const HALF = LAST / 2;
const [NOTHING, PAIRS] = [study.guess, study.bigram].map(nats);

/** A share of the first half, as a number of updates. */
const early = (part) => Math.round(part * HALF);
const allOr = (n) => (n === HALF ? "all" : n);

// Under `against`, x is the number that speaks against a diagnosis: see
// judge() in model.js for which it is.
export const words = {
  en: {
    run: "Run",
    t: "Updates done t",
    axis: "updates t",
    play: "Play",
    pause: "Pause",
    ask: "What is wrong?",
    choose: "choose …",
    check: "Check",
    show: "Show the answer",
    next: "Next run",
    drag: "Drag sideways to move through time, or use the slider",
    picture: (run) =>
      `Six monitors of run ${run} over ${LAST} updates; their values at the ` +
      `cursor are written above them.`,
    beside: (run) => `dashed: the healthy run ${run}`,
    names: {
      healthy: "nothing: it is healthy",
      unclipped: "gradients are not clipped",
      too_fast: "the learning rate is too high",
      wrong_axis: "batch and time are swapped",
      padded_mean: "padding is counted in the loss",
      leak: "the input is not shifted",
    },
    titles: {
      loss: "loss, nats",
      worst: "worst sentence, nats",
      norm: "longest gradient (log)",
      above: "longer than threshold",
      saturated: "gates near 0 or 1",
      cell: "|c| / √H",
    },
    train: "training",
    valid: "held out",
    nothing: "knowing nothing",
    bigram: "bigram",
    threshold: "threshold",
    level: {
      above: `more than the ${NOTHING} of knowing nothing`,
      between: `between a bigram’s ${PAIRS} and the ${NOTHING} of knowing nothing`,
      pair: `about what a bigram pays, ${PAIRS}`,
      below: `below a bigram’s ${PAIRS}`,
    },
    long: (n, of) => {
      if (of === 1) return `The first gradient was ${n ? "" : "not "}longer`;
      const some = { 0: "None", [of]: "All" }[n] ?? n;
      const were = n > 1 ? "were" : "was";
      return `${some} of the last ${of} gradients ${were} longer`;
    },
    now: (run, t, valid, level, long, stuck) =>
      `Run ${run} after ${counted(t, "update")}: ${valid} ` +
      `nats held out, ${level}. ${long} than the threshold, and ${stuck} of ` +
      `the gates are near 0 or 1.`,
    hint:
      `One line of the program may have been replaced before this run. ` +
      `Drag across the picture and ask: Where does the loss start? Does it ` +
      `get below the bigram? Do gradients stay longer than the threshold? ` +
      `Do the gates get stuck? Then choose and check.`,
    no: "No. ",
    yes: "Right. ",
    shown: (run) => `Run ${run}: `,
    right: "The line should be ",
    wrong: "In this run it was ",
    whole: "No line was replaced.",
    count: (found, shown) =>
      found === 6
        ? "All six found."
        : `${found} of 6 found${shown ? `, ${shown} shown.` : "."}`,
    letters: "letters from A to F",
    against: {
      healthy: {
        starts: (x) =>
          `A loss that is computed right starts at what knowing nothing ` +
          `costs, ${NOTHING}. Here the first batch, before anything had been ` +
          `learned from it, came out at ${nats(x)}.`,
        calm: (x) =>
          `In a healthy run only the first gradients are longer than the ` +
          `threshold. Here ${allOr(early(x))} of the first ${HALF} were.`,
        free: (x) =>
          `In a healthy run a good part of the gates can still move. Here ` +
          `${share(x)} ended near 0 or 1.`,
        passes: (x) =>
          `A network that uses its memory gets well below the bigram’s ` +
          `${PAIRS}. This one ends at ${nats(x)}.`,
        language: (x) =>
          `This is too good. The held-out loss ends at ${nats(x)} nats, and ` +
          `no model of language foretells every character.`,
      },
      unclipped: {
        calm: (x) =>
          `Without clipping it is the first few gradients that are long. ` +
          `Here ${allOr(early(x))} of the first ${HALF} were longer than ` +
          `the threshold.`,
        jammed: (x) =>
          `The long first steps of an unclipped run jam nearly every gate. ` +
          `Here no more than ${share(x)} ended near 0 or 1.`,
      },
      too_fast: {
        restless: (x) =>
          `At too high a rate gradients stay longer than the threshold. ` +
          `Here only ${early(x)} of the first ${HALF} were.`,
      },
      wrong_axis: {
        free: (x) =>
          `With batch and time swapped training stays calm and gates can ` +
          `move. Here ${share(x)} ended near 0 or 1.`,
        pairs: (x) =>
          `A network that never sees the character before ends at the ` +
          `bigram’s ${PAIRS}. This one ends at ${nats(x)}.`,
      },
      padded_mean: {
        diluted: (x) =>
          `If padding were counted, its zeros would pull the very first ` +
          `training loss well below the ${NOTHING} of knowing nothing. Here ` +
          `it is ${nats(x)}.`,
      },
      leak: {
        sees: (x) =>
          `A network that is shown the character to predict pays next to ` +
          `nothing in the end. This one pays ${nats(x)} nats.`,
      },
    },
  },
  zh: {
    run: "训练",
    t: "已更新次数 t",
    axis: "更新次数 t",
    play: "播放",
    pause: "暂停",
    ask: "毛病在哪里？",
    choose: "请选择……",
    check: "核对",
    show: "看答案",
    next: "下一个",
    drag: "左右拖动，看不同的时刻；也可用滑块",
    picture: (run) =>
      `训练 ${run} 在 ${LAST} 次更新里的六个监测量；光标处的数值写在各图上方。`,
    beside: (run) => `虚线：正常的训练 ${run}`,
    names: {
      healthy: "没有毛病，训练正常",
      unclipped: "梯度没有裁剪",
      too_fast: "学习率太高",
      wrong_axis: "批次轴和时间轴弄反了",
      padded_mean: "损失把填充也算了进去",
      leak: "输入没有错开一位",
    },
    titles: {
      loss: "损失（奈特）",
      worst: "最差的句子（奈特）",
      norm: "最长的梯度（对数）",
      above: "超过阈值的比例",
      saturated: "贴近 0 或 1 的门",
      cell: "|c| / √H",
    },
    train: "训练",
    valid: "留出",
    nothing: "一无所知",
    bigram: "二元模型",
    threshold: "阈值",
    level: {
      above: `比一无所知的 ${NOTHING} 还高`,
      between: `低于一无所知的 ${NOTHING}，高于二元模型的 ${PAIRS}`,
      pair: `和二元模型的 ${PAIRS} 差不多`,
      below: `低于二元模型的 ${PAIRS}`,
    },
    long: (n, of) => {
      if (of === 1) return `第一个梯度${n ? "" : "没有"}超过阈值`;
      if (n === 0) return `最近 ${of} 个梯度都没有超过阈值`;
      if (n === of) return `最近 ${of} 个梯度全都超过阈值`;
      return `最近 ${of} 个梯度有 ${n} 个超过阈值`;
    },
    now: (run, t, valid, level, long, stuck) =>
      `训练 ${run}，更新 ${t} 次之后：留出集的损失是 ${valid} 奈特，${level}；` +
      `${long}，${stuck} 的门贴近 0 或 1。`,
    hint:
      `这次训练之前，程序也许被换掉了一行。在图上左右拖动，问自己几句：损失从哪里起步？` +
      `有没有降到二元模型之下？梯度是不是一直超过阈值？门有没有卡死？` +
      `想好了，选一个再核对。`,
    no: "不对。",
    yes: "对了。",
    shown: (run) => `训练 ${run}：`,
    right: "这一行本该是 ",
    wrong: "这次却是 ",
    whole: "一行也没有换。",
    count: (found, shown) =>
      found === 6
        ? "六个全找对了。"
        : `共 6 个，找对了 ${found} 个` +
          (shown ? `，看了 ${shown} 个答案。` : "。"),
    letters: " A 到 F 的字母",
    against: {
      healthy: {
        starts: (x) =>
          `损失要是算对了，就该从一无所知的 ${NOTHING} 起步。这里第一批还没拿来学，` +
          `损失就只有 ${nats(x)}。`,
        calm: (x) =>
          `正常的训练，只有开头几个梯度超过阈值；这里前 ${HALF} 个` +
          (early(x) === HALF ? "全都超过。" : `里有 ${early(x)} 个。`),
        free: (x) =>
          `正常的训练，总有不少门还动得了；这里到最后，${share(x)} 的门都贴近 0 或 1。`,
        passes: (x) =>
          `用上了记忆的网络，应该明显低于二元模型的 ${PAIRS}；这个停在 ${nats(x)}。`,
        language: (x) =>
          `好得过头了：留出集的损失到最后只有 ${nats(x)} 奈特，` +
          `没有哪个语言模型能把每个字符都猜中。`,
      },
      unclipped: {
        calm: (x) =>
          `不裁剪，长的只是开头几个梯度；这里前 ${HALF} 个` +
          `${early(x) === HALF ? "全都" : `里有 ${early(x)} 个`}超过阈值。`,
        jammed: (x) =>
          `不裁剪，开头几步太长，几乎所有的门都会卡死；这里到最后，贴近 0 或 1 的门只有 ` +
          `${share(x)}。`,
      },
      too_fast: {
        restless: (x) =>
          `学习率太高，梯度会一直超过阈值；这里前 ${HALF} 个里只有 ${early(x)} ` +
          `个。`,
      },
      wrong_axis: {
        free: (x) =>
          `两个轴弄反了，训练照样平静，门也照样能动；这里到最后，${share(x)} ` +
          `的门都贴近 0 或 1。`,
        pairs: (x) =>
          `看不到前一个字符的网络，会停在二元模型的 ${PAIRS} 上；这个到最后是 ` +
          `${nats(x)}。`,
      },
      padded_mean: {
        diluted: (x) =>
          `要是把填充也算进去，填充处的零会把第一个训练损失拉到一无所知的 ` +
          `${NOTHING} 以下；这里是 ${nats(x)}。`,
      },
      leak: {
        sees: (x) =>
          `要预测的字符已经给它看了，到最后损失应该几乎是零；这个还有 ${nats(x)} ` +
          `奈特。`,
      },
    },
  },
};
