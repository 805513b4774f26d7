import { MenuButton, type MenuItem } from '../kit/menu.tsx';
import { strings } from '../strings.ts';
import { useSession } from './session-context.ts';
import { useSignOut } from './use-sign-out.ts';

const text = strings.account;

/** What a person with an account does with it, in the rail. */
export function AccountMenu({ onPassword }: { onPassword(): void }) {
  const { account } = useSession();
  const leave = useSignOut();
  const items: MenuItem[] = [
    ...(account?.has_password ? [{ label: text.change, icon: 'key', act: onPassword } as const] : []),
    { label: text.everywhere, icon: 'screen', act: () => void leave('all') },
  ];
  return <MenuButton label={text.menu} items={items} />;
}
