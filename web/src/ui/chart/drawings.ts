export { Bars } from "./Bars";
export { Runs } from "./Runs";
