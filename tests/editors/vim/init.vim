" Vim with ALE: loads editors/vim/ale.vim and opens a channel to the test, which evaluates expressions in Vim.

set nocompatible hidden noswapfile nobackup nowritebackup nomore viminfo= shortmess+=aoOtTIcF encoding=utf-8
set cmdheight=3 ttimeout ttimeoutlen=20 t_RV= t_u7= t_RF= t_RB=
filetype on

packadd ale
let g:ale_linters = {'python': ['twospeed']}
let g:ale_lint_delay = 50
execute 'source' $TWOSPEED_PAGE

let g:test = ch_open('unix:' . $TWOSPEED_CHANNEL)

" F12 says that all keys before it were handled.
noremap <F12> <Cmd>call ch_sendexpr(g:test, 'typed', {'callback': {-> 0}})<CR>
noremap! <F12> <Cmd>call ch_sendexpr(g:test, 'typed', {'callback': {-> 0}})<CR>
