import { cliff } from "./parts/cliff.js";
import { register } from "./parts/lab.js";

register({ ...cliff, name: "gradient-cliff" });
