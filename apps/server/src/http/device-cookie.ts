/**
 * A browser's mark of a customer who logged in there. Scripts can't read it, other sites' pages can't send it, and it goes to nothing but
 * the operations of accounts; it proves nothing and opens nothing.
 */
const NAME = 'device';
const KEPT_S = 400 * 86_400;

export function deviceCookie(mark: string, isSecure: boolean): string {
  const attributes = [
    `${NAME}=${mark}`,
    'Path=/api/user',
    `Max-Age=${KEPT_S}`,
    'HttpOnly',
    'SameSite=Strict',
  ];
  return [...attributes, ...(isSecure ? ['Secure'] : [])].join('; ');
}

export function readDevice(cookies: string | undefined): string | undefined {
  return /(?:^|; ?)device=([\w-]{1,100})(?:;|$)/.exec(cookies ?? '')?.[1];
}
