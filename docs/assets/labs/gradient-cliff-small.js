// The title page's copy: scale and noise only.
import { cliff } from "./parts/cliff.js";
import { register } from "./parts/lab.js";

const controls = (words) => cliff.controls(words).slice(0, 2);
register({ ...cliff, controls, name: "gradient-cliff-small" });
