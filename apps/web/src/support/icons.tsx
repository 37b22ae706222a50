import { Icon, type IconProps } from '@fairtick/ui';

export const HeadsetIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M5 14.5v-2.7a7 7 0 0 1 14 0v2.7" />
    <rect x="4" y="13" width="3.6" height="5.6" rx="1.6" />
    <rect x="16.4" y="13" width="3.6" height="5.6" rx="1.6" />
    <path d="M18.2 18.6c0 1.4-1.6 2.2-3.9 2.2" />
  </Icon>
);
export const PictureIcon = (props: IconProps) => (
  <Icon {...props}>
    <rect x="3.5" y="5" width="17" height="14" rx="2.2" />
    <circle cx="9" cy="10" r="1.6" />
    <path d="m4 17 5-4.5 3.2 2.8 3.3-3.3 4.8 4.5" />
  </Icon>
);
export const SendIcon = (props: IconProps) => (
  <Icon strokeWidth={2} {...props}>
    <path d="M12 18.5v-13M6.5 11 12 5.5l5.5 5.5" />
  </Icon>
);
export const ReadIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="m2.5 12.8 3.8 3.8 7.6-8.8M11.5 15.6l1 1 8.3-8.8" />
  </Icon>
);
