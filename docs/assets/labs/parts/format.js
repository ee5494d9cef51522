// Numbers as the book writes them; what is not finite never gets here.

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** 23 -> "²³", -4 -> "⁻⁴". */
export function raised(n) {
  return String(n).replace(/[-\d.]/g, (c) =>
    c === "-" ? "⁻" : c === "." ? "·" : RAISED[c],
  );
}

/** 0.00002656 -> "2.7×10⁻⁵"; between 0.01 and 1000 as people write it. */
export function scientific(x) {
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 0.00995 && size < 999.5) return signed(x.toPrecision(2) * 1);
  const [digits, power] = x.toExponential(1).split("e");
  return `${digits.replace("-", "−")}×10${raised(Number(power))}`;
}

/** A fixed number of places, with a real minus and no "−0.00". */
export function fixed(x, places) {
  const text = x.toFixed(places);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** 0.5 -> "0.50": with two places. */
export const two = (x) => fixed(x, 2);

function signed(x) {
  return String(x).replace("-", "−");
}

/** With its sign always: "+0.034". */
export function change(x, places) {
  const text = fixed(x, places);
  return text.startsWith("−") || Number(text) === 0 ? text : `+${text}`;
}

/** 0.0046 -> "0.46 %". */
export function percent(x) {
  return `${scientific(100 * x)} %`;
}

/** 295680 -> "295,680". */
export function grouped(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** 1, "step" -> "1 step"; 3, "step" -> "3 steps". */
export const counted = (n, one) => `${n} ${n === 1 ? one : `${one}s`}`;
