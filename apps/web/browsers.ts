/**
 * The oldest browsers that the app and the office run in, and the target of their builds: syntax and styles that these lack are
 * translated. The README lists them with the web views that have their engines: Huawei's of that age is Chromium 99.
 */
export const BROWSERS = ['chrome99', 'edge99', 'safari15.4', 'ios15.4', 'firefox100'];
