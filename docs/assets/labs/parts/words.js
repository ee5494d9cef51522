// What every lab says, in both languages.

export function language() {
  return document.documentElement.lang.startsWith("zh") ? "zh" : "en";
}

export const COMMON = {
  en: {
    reset: "Reset",
    controls: "Controls",
    refused: (name, asked, allowed, shown) =>
      `The address asks for ${name} = “${asked}”, which is not ` +
      `${allowed}; this shows ${shown}. `,
    between: (min, max) => `a number from ${min} to ${max}`,
    among: (names) => `one of ${names.join(", ")}`,
  },
  zh: {
    reset: "复原",
    controls: "控件",
    refused: (name, asked, allowed, shown) =>
      `地址里写着 ${name} = “${asked}”，但这里只能是${allowed}，` +
      `现按 ${shown} 显示。`,
    between: (min, max) => ` ${min} 到 ${max} 之间的数`,
    among: (names) => ` ${names.join("、")} 之一`,
  },
};
