import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { SessionGate } from './session/session-gate.tsx';
import { queryClient } from './shell/query-client.ts';
import './styles/app.css';

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <SessionGate />
    </QueryClientProvider>
  </StrictMode>,
);
