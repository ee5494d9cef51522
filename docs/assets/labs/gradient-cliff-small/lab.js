// The title page's copy of the gradient cliff: scale and noise only.

import { lab } from "../gradient-cliff/lab.js";
import { register } from "../parts/lab.js";

const controls = (words) => lab.controls(words).slice(0, 2);
register({ ...lab, name: "gradient-cliff-small", controls });
