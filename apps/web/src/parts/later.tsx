import { untilLoaded } from '@fairtick/ui/load-code';
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import type { TextPart } from '../messages/text.ts';
import { WithTexts } from '../messages/text-context.tsx';

/** A component whose code, and the texts of `part`, are loaded when it is first shown; `waiting` is in its place until then. */
export function later<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  { part, waiting }: { part?: TextPart; waiting?: ReactNode } = {},
): ComponentType<P> {
  const Loaded = lazy(() => untilLoaded(load)) as unknown as ComponentType<P>;
  return function Later(props: P) {
    const content = <Loaded {...props} />;
    return (
      <Suspense fallback={waiting}>
        {part === undefined ? content : <WithTexts part={part}>{content}</WithTexts>}
      </Suspense>
    );
  };
}
