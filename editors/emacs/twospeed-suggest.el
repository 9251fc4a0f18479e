;;; twospeed-suggest.el --- Suggestions at the cursor  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Requests code at point (`textDocument/inlineCompletion'), and shows it after
;; point until the next command.  TAB inserts it and runs its command, with
;; which the server adds the imports that the code needs.
;;
;; It works in the buffers of `twospeed-mode' and of lsp-mode.

;;; Code:

(require 'subr-x)

(defface twospeed-suggestion '((t :inherit shadow))
  "Code that is suggested at point."
  :group 'twospeed)

(defvar twospeed-suggest-client-functions nil
  "Functions that return how the buffer reaches the server, nil if it does not.
The value is a cons of two functions.  The first one requests a
suggestion: it takes the trigger kind of LSP, and a function to call
with the item, a plist, or nil.  The second one runs a command: it takes
its name, without the prefix \"twospeed.\", and its arguments.")

(defconst twospeed-suggest--invoked 1 "The trigger kind of a request by key.")
(defconst twospeed-suggest--automatic 2 "The trigger kind of a request while typing.")

(defvar-local twospeed-suggest--shown nil
  "Overlay that shows a suggestion.")

(defvar twospeed-suggest-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "TAB") #'twospeed-suggest-accept)
    map)
  "Keys while a suggestion is shown.")

(add-to-list 'minor-mode-map-alist (cons 'twospeed-suggest--shown twospeed-suggest-map))

;;; Showing

(defun twospeed-suggest--clear (&rest _)
  "Remove the suggestion that is shown."
  (remove-hook 'after-change-functions #'twospeed-suggest--clear t)
  (remove-hook 'pre-command-hook #'twospeed-suggest--clear-before-command t)
  (when twospeed-suggest--shown
    (delete-overlay twospeed-suggest--shown)
    (setq twospeed-suggest--shown nil)))

(defun twospeed-suggest--clear-before-command ()
  "Remove the suggestion before each command that does not accept it."
  (unless (eq this-command 'twospeed-suggest-accept)
    (twospeed-suggest--clear)))

(defun twospeed-suggest--show (item execute)
  "Show ITEM at point; EXECUTE runs its command."
  (let ((text (propertize (plist-get item :insertText) 'face 'twospeed-suggestion)))
    (put-text-property 0 1 'cursor t text) ; draw the cursor before the text
    (twospeed-suggest--clear)
    (setq twospeed-suggest--shown (make-overlay (point) (point)))
    (overlay-put twospeed-suggest--shown 'after-string text)
    (overlay-put twospeed-suggest--shown 'twospeed-accept (cons item execute))
    ;; An edit of the server changes the buffer outside of a command.
    (add-hook 'after-change-functions #'twospeed-suggest--clear nil t)
    (add-hook 'pre-command-hook #'twospeed-suggest--clear-before-command nil t)))

;;; Requesting and accepting

(defun twospeed-suggest--request (client kind)
  "Request a suggestion of KIND from CLIENT, and show it if nothing has changed."
  (let* ((buffer (current-buffer))
         (state (lambda () (list (point) (buffer-chars-modified-tick))))
         (before (funcall state)))
    (funcall (car client) kind
             (lambda (item)
               (when (eq buffer (window-buffer))
                 (with-current-buffer buffer
                   (cond
                    ((not (equal before (funcall state))))
                    ((and item (not (string-empty-p (plist-get item :insertText))))
                     (twospeed-suggest--show item (cdr client)))
                    ((and (eql kind twospeed-suggest--invoked)
                          (not (current-message))) ; the server may have said why
                     (message "twospeed: there is no suggestion here")))))))))

;;;###autoload
(defun twospeed-suggest ()
  "Suggest code at point.
\\<twospeed-suggest-map>\\[twospeed-suggest-accept] inserts it; any other command \
removes it."
  (interactive)
  (message nil)
  (twospeed-suggest--request
   (or (run-hook-with-args-until-success 'twospeed-suggest-client-functions)
       (user-error "Twospeed is not on in this buffer"))
   twospeed-suggest--invoked))

(defun twospeed-suggest-accept ()
  "Insert the suggestion that is shown at point, and run its command."
  (interactive)
  (pcase-let* ((`(,item . ,execute) (overlay-get twospeed-suggest--shown 'twospeed-accept))
               (command (plist-get item :command)))
    (twospeed-suggest--clear)
    (insert (plist-get item :insertText))
    (apply execute (string-remove-prefix "twospeed." (plist-get command :command))
           (append (plist-get command :arguments) nil))))

;;; While typing

(defun twospeed-suggest--after-typing ()
  "Request a suggestion after a typed character; the server waits for a pause."
  (when-let ((client (ignore-errors ; a config without suggestions is no error here
                       (run-hook-with-args-until-success 'twospeed-suggest-client-functions))))
    (twospeed-suggest--request client twospeed-suggest--automatic)))

;;;###autoload
(define-minor-mode twospeed-suggest-mode
  "Suggest code while you type in this buffer.
The server decides where, by `[completion]' of its config."
  :group 'twospeed
  (if twospeed-suggest-mode
      (add-hook 'post-self-insert-hook #'twospeed-suggest--after-typing 90 t)
    (remove-hook 'post-self-insert-hook #'twospeed-suggest--after-typing t)))

(provide 'twospeed-suggest)
;;; twospeed-suggest.el ends here
