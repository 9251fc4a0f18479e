;;; init.el --- The only configuration of a tested Emacs  -*- lexical-binding: t; -*-

;;; Commentary:

;; The package as anybody would install it, and a line to the test: forms come
;; in and are evaluated between commands, their values and events go out.

;;; Code:

(require 'json)

(setq inhibit-startup-screen t
      make-backup-files nil
      auto-save-default nil
      create-lockfiles nil
      ring-bell-function #'ignore
      use-dialog-box nil
      confirm-kill-processes nil)
(setq native-comp-deferred-compilation nil ; the home is new each time, so all would be compiled each time
      native-comp-jit-compilation nil) ; as Emacs 29 calls it
(menu-bar-mode 0)
(electric-indent-mode 0) ; keys shall be typed as they are

(defvar test-line
  (make-network-process :name "test" :family 'local :service (getenv "TWOSPEED_TEST_SOCKET")
                        :coding 'utf-8-unix :noquery t :filter #'ignore)
  "The line to the test.")

(defun test-tell (kind value)
  "Tell the test VALUE, an event of KIND."
  (process-send-string test-line (concat (json-serialize (list :kind kind :value value)
                                                         :null-object nil
                                                         :false-object :json-false)
                                         "\n")))

(defvar test-rest "" "The beginning of a form.")

(defun test-take (_line text)
  "Evaluate the forms in TEXT, soon."
  (let ((lines (split-string (concat test-rest text) "\n")))
    (setq test-rest (car (last lines)))
    (dolist (line (butlast lines))
      (run-at-time 0 nil #'test-evaluate (read line)))))

(defun test-evaluate (numbered)
  "Evaluate the form in NUMBERED, and tell its value under its number.
The current buffer is the one on screen, whatever else goes on."
  (pcase-let ((`(,number ,form) numbered))
    (with-current-buffer (window-buffer (or (minibuffer-selected-window) (selected-window)))
      (let* (deactivate-mark
             (problem (condition-case problem
                          (progn
                            (test-tell "value" (list :number number :value (eval form t)))
                            nil)
                        (error (error-message-string problem)))))
        (when problem
          (test-tell "value" (list :number number :error problem)))))))

(set-process-filter test-line #'test-take)

;; A key that tells that all before it are handled, and leaves no trace.
(defun test-typed ()
  "Tell that the keys so far are handled."
  (interactive)
  (setq this-command last-command)
  (test-tell "typed" t))

(define-key input-decode-map "\e[34~" [f20])
(global-set-key [f20] #'test-typed)
(define-key isearch-mode-map [f20] #'test-typed)

(advice-add 'message :before
            (lambda (format &rest arguments)
              (when (stringp format)
                (let ((text (apply #'format-message format arguments)))
                  (unless (string-empty-p text)
                    (test-tell "message" (substring-no-properties text)))))))

;; Emacs drops the keys behind one that failed; a test waits for their end.
(setq command-error-function
      (lambda (data _context _caller) (message "%s" (error-message-string data))))

;; What a menu offers.
(add-hook 'minibuffer-setup-hook
          (lambda ()
            (when minibuffer-completion-table
              (test-tell "asked" (vconcat (all-completions "" minibuffer-completion-table
                                                     minibuffer-completion-predicate))))))

(when-let ((package (getenv "TWOSPEED_PACKAGE")))
  (add-to-list 'load-path package)
  (require 'twospeed)
  (setq twospeed-command (append (json-parse-string (getenv "TWOSPEED_COMMAND")
                                                    :array-type 'list)
                                 nil))
  (add-hook 'prog-mode-hook #'twospeed-mode)
  (add-hook 'text-mode-hook #'twospeed-mode)
  (advice-add 'twospeed-document-open :after
              (lambda (&rest _) (test-tell "opened" twospeed-document-uri)))
  (advice-add 'twospeed-apply-answer :around
              (lambda (answer server params)
                (when-let ((happens (symbol-value 'test-before-shipment)))
                  (set 'test-before-shipment nil)
                  (funcall happens))
                (let ((given (funcall answer server params)))
                  (test-tell "shipment" (append (list :seq (plist-get params :seq)) given))
                  (test-tell "text" (buffer-substring-no-properties (point-min) (point-max)))
                  given)))
  (advice-add 'twospeed-review--update :after
              (lambda (_server params) (test-tell "edit" params)))
  (add-hook 'twospeed-server-changed-hook (lambda () (test-tell "server" t))))

(defvar test-before-shipment nil
  "What happens in the moment before the next shipment is looked at.")

(when-let ((more (getenv "TWOSPEED_MORE")))
  (load more nil t))

(test-tell "started" emacs-version)
;;; init.el ends here
