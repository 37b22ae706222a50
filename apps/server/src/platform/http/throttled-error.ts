type Code = 'TOO_MANY_REQUESTS' | 'NEW_DEVICES_HELD';

export class ThrottledError extends Error {
  readonly seconds: number;
  readonly code: Code;

  constructor(seconds: number, code: Code = 'TOO_MANY_REQUESTS') {
    super('throttled');
    this.seconds = seconds;
    this.code = code;
  }
}
