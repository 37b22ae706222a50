/** Marks a browser in which somebody has logged in. Scripts and pages of other sites can't use the cookie. It grants no access. */
export const NAME = 'device';
export const KEPT_S = 400 * 86_400;

export const deviceCookie = (mark: string, isSecure: boolean): string =>
  `${NAME}=${mark}; Path=/api/user; Max-Age=${KEPT_S}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;

export function readDevice(cookies: string | undefined): string | undefined {
  return /(?:^|; ?)device=([\w.-]{1,100})(?:;|$)/.exec(cookies ?? '')?.[1];
}
