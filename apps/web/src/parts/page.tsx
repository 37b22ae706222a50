import type { ComponentType } from 'react';
import { Queries } from '../api/query-client.tsx';
import type { TextPart } from '../messages/text.ts';
import { WithTexts } from '../messages/text-context.tsx';

/** A page that needs the cache of answers, and texts that load with it. */
export function pageOf<P extends object>(part: TextPart | null, Content: ComponentType<P>): ComponentType<P> {
  return function Page(props: P) {
    const content = <Content {...props} />;
    return <Queries>{part === null ? content : <WithTexts part={part}>{content}</WithTexts>}</Queries>;
  };
}
