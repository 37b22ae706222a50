import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { getPicture, type PicturePath } from '../api/client.ts';

/** An object URL for a picture in memory, until it is hidden because the browser can't show it; revoked on unmount. */
export function useObjectUrl(picture: Blob | null) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!picture) return setUrl(null);
    const made = URL.createObjectURL(picture);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [picture]);
  return { url, hide: () => setUrl(null) };
}

/** A picture that the server keeps and only its owner may load. */
export function useStoredPicture(path: PicturePath, id: string) {
  const { data, error } = useQuery({
    queryKey: ['picture', path, id],
    queryFn: ({ signal }) => getPicture(path, { id }, { signal, isSilent: true }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return { ...useObjectUrl(data ?? null), error };
}
