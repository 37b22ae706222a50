import type { StaffRole } from '@fairtick/protocol/staff-roles';
import type { IconProps } from '@fairtick/ui';
import type { ComponentType, LazyExoticComponent } from 'react';
import type { MessageId } from '../messages/text.ts';

type NameOf<Id> = Id extends `page.${infer Name}` ? Name : never;
export type PageName = NameOf<MessageId>;

export interface OfficePage {
  /** Its path, and the name of its title. */
  readonly name: PageName;
  readonly roles: 'anyone' | readonly StaffRole[];
  readonly icon: ComponentType<IconProps>;
  /** Pressing G and then this key opens the page. */
  readonly key: string;
  /** Pages of one group are listed together. */
  readonly group: 'queues' | 'house' | 'own';
  readonly Page: LazyExoticComponent<ComponentType>;
  /** The counter at the end of its navigation entry: how many wait. */
  readonly Count: ComponentType | undefined;
}
