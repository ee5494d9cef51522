// TeX in, HTML with MathML out: one JSON array a line, for the whole build.
const katex = require("katex");
const lines = require("node:readline").createInterface({
  input: process.stdin,
});

const options = {
  throwOnError: true,
  output: "htmlAndMathml",
  trust: (context) => context.command === "\\htmlClass",
  strict: (code) => (code === "htmlExtension" ? "ignore" : "error"),
};

lines.on("line", (line) => {
  const [tex, displayMode] = JSON.parse(line);
  let answer;
  try {
    const html = katex.renderToString(tex, { ...options, displayMode });
    answer = { html };
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
});
