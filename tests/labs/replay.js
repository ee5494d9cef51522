// node replay.js <calls.json>: run model functions, print what they return.
import { readFileSync } from "node:fs";

import * as cliff from "../../docs/assets/labs/models/cliff.js";
import * as derivation from "../../docs/assets/labs/models/derivation.js";
import * as rz from "../../docs/assets/labs/models/rz.js";
import * as format from "../../docs/assets/labs/parts/format.js";

const models = { cliff, derivation, rz, format };
const calls = JSON.parse(readFileSync(process.argv[2], "utf8"));
const plain = (key, value) =>
  ArrayBuffer.isView(value) ? Array.from(value) : value;
const found = calls.map(([model, name, ...given]) =>
  models[model][name](...given),
);
console.log(JSON.stringify(found, plain));
