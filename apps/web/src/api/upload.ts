import type { DataAt } from '@fairtick/protocol';
import { type Fields, NetworkError, openEnvelope } from '@fairtick/ui/client';
import {
  type CallOptions,
  FILE_TIMEOUT_MS,
  inSession,
  TIMEOUT_MS,
  texts,
  type UploadPath,
  withFreshSession,
} from './client.ts';

interface UploadOptions extends CallOptions {
  /** Called with the share that has been sent, 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

/**
 * Sends a form with pictures. No limit on the total time; time-outs are 5 s without progress, then 30 s for the answer, because the
 * server encodes the pictures again, after those of other customers.
 */
export function upload<P extends UploadPath>(
  path: P,
  form: { readonly fields: Fields; readonly pictures: Readonly<Record<string, Blob>> },
  options: UploadOptions = {},
): Promise<DataAt<P>> {
  const body = new FormData();
  for (const [field, value] of Object.entries(texts(form.fields))) body.append(field, value);
  for (const [field, picture] of Object.entries(form.pictures)) body.append(field, picture, 'picture');
  return withFreshSession(() =>
    inSession(options, async (headers) => {
      const { status, content } = await send(`/api/${path}`, body, { ...options, headers });
      return openEnvelope<DataAt<P>>(status, content);
    }),
  );
}

interface Answer {
  readonly status: number;
  readonly content: unknown;
}

/** Uses XMLHttpRequest, because fetch does not report upload progress. */
function send(
  url: string,
  body: FormData,
  { headers, onProgress, signal }: UploadOptions & { headers: Record<string, string> },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = (timeMs: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => request.abort(), timeMs);
    };
    const fail = () => reject(signal?.aborted ? signal.reason : new NetworkError('no answer'));
    request.upload.onprogress = ({ loaded, total }) => {
      patience(TIMEOUT_MS);
      if (total > 0) onProgress?.(loaded / total);
    };
    request.upload.onload = () => patience(FILE_TIMEOUT_MS);
    request.onload = () => resolve({ status: request.status, content: request.response });
    request.onerror = fail;
    request.onabort = fail;
    request.onloadend = () => clearTimeout(timer);
    signal?.addEventListener('abort', () => request.abort());
    request.open('POST', url);
    request.responseType = 'json';
    for (const [header, value] of Object.entries(headers)) request.setRequestHeader(header, value);
    patience(TIMEOUT_MS);
    request.send(body);
  });
}
