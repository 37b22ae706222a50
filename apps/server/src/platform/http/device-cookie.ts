/**
 * Marks a browser in which a customer or, at the office's origin, a member of staff has logged in. Scripts can't read the cookie,
 * other sites' pages can't send it, and it is sent only to the operations of logins. It is no proof of identity and grants no access.
 */
export const NAME = 'device';
export const KEPT_S = 400 * 86_400;

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
  return /(?:^|; ?)device=([\w.-]{1,100})(?:;|$)/.exec(cookies ?? '')?.[1];
}
