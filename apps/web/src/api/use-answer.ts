import type { DataAt } from '@fairtick/protocol';
import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { type Fields, get, type ReadPath } from './client.ts';

interface Options<T> extends Omit<UseQueryOptions<T>, 'queryKey' | 'queryFn'> {
  /** No loading indicator; the default. */
  readonly isSilent?: boolean;
}

/**
 * Reads an operation's answer, cached by its path and fields. An answer with texts names the `language` among them: it belongs to the
 * key alone, because every call says in which language it asks.
 */
export function useAnswer<P extends ReadPath>(
  path: P,
  fields: Fields = {},
  { isSilent = true, ...options }: Options<DataAt<P>> = {},
) {
  return useQuery<DataAt<P>>({
    ...options,
    queryKey: [path, fields],
    queryFn: ({ signal }) => get(path, { ...fields, language: undefined }, { signal, isSilent }),
  });
}
