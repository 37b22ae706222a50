/** Why the browser gave no passkey: each has a sentence of its own. */
export type PasskeyFault = 'cancelled' | 'unsupported' | 'known' | 'wrongSite';

/** Reads the error of a WebAuthn call; its library keeps the browser's error as the cause. */
export function passkeyFaultOf(error: unknown): PasskeyFault {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  switch (cause instanceof Error ? cause.name : '') {
    case 'InvalidStateError':
      return 'known';
    case 'SecurityError':
      return 'wrongSite';
    case 'NotAllowedError':
    case 'AbortError':
      return 'cancelled';
    default:
      return 'unsupported';
  }
}
