/**
 * The page's policy lets no string become markup or a script's address ("trusted types"). These are the app's only exceptions, and
 * each has its one use.
 */
interface Policy {
  createHTML(html: string): string;
  createScriptURL(url: string): string;
}
type Factory = { createPolicy(name: string, rules: Policy): Policy };

const plain: Policy = { createHTML: (html) => html, createScriptURL: (url) => url };
const { trustedTypes } = globalThis as { trustedTypes?: Factory };
const policy = trustedTypes?.createPolicy('fairtick', plain) ?? plain;

/** A document of its own, in which nothing runs or loads. */
export const parseInert = (html: string): Document =>
  new DOMParser().parseFromString(policy.createHTML(html), 'text/html');

export const progressTemplate = (): string => policy.createHTML('<div class="bar"></div>');

export const serviceWorkerAddress = (): string => policy.createScriptURL('/sw.js');
