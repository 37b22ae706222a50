/** Too much is under way already: the caller gets 503 and may try again later. */
export class OverloadError extends Error {}
