/** Browsers use https alone for a year; only where the origin is https. */
export const HSTS = { maxAge: 31_536_000, includeSubDomains: false } as const;
/** A page may use passkeys, and neither camera, microphone nor place. */
export const PERMISSIONS =
  'publickey-credentials-get=(self), publickey-credentials-create=(self), camera=(), microphone=(), geolocation=()';
