import type { ComponentType } from 'react';
import { Queries } from '../api/query-client.tsx';
import type { TextPart } from '../messages/text.ts';
import { WithTexts } from '../messages/text-context.tsx';

/** A page that needs the cache of answers, and texts that load with it. */
export function pageOf(part: TextPart, Content: ComponentType): ComponentType {
  return function Page() {
    return (
      <Queries>
        <WithTexts part={part}>
          <Content />
        </WithTexts>
      </Queries>
    );
  };
}
