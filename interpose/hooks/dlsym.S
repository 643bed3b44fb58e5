/* dlsym and dlvsym as glibc exports them. For RTLD_NEXT (-1) and RTLD_DEFAULT (0) glibc looks at its
   caller's address, so these look-ups jump to glibc with the stack as the caller left it: no frame
   of ours may stand between, at any optimisation level. Look-ups in a handle go to hooked_dlsym
   and hooked_dlvsym (lookup.cc). */
    .text

/* void* dlsym(void* handle, const char* name): rdi, rsi */
    .globl dlsym
    .type dlsym, @function
dlsym:
    .cfi_startproc
    endbr64
    movq graphtap_real_dlsym(%rip), %rax
    testq %rax, %rax
    jz .Lbind_dlsym
.Lbound_dlsym:
    leaq 1(%rdi), %rdx          /* 0 or 1 exactly for RTLD_NEXT and RTLD_DEFAULT */
    cmpq $1, %rdx
    ja graphtap_hooked_dlsym
    jmp *%rax
.Lbind_dlsym:
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    subq $8, %rsp               /* calls want the stack at 16 bytes */
    .cfi_adjust_cfa_offset 8
    call graphtap_bind_dlsym
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    jmp .Lbound_dlsym
    .cfi_endproc
    .size dlsym, .-dlsym

/* void* dlvsym(void* handle, const char* name, const char* version): rdi, rsi, rdx */
    .globl dlvsym
    .type dlvsym, @function
dlvsym:
    .cfi_startproc
    endbr64
    movq graphtap_real_dlvsym(%rip), %rax
    testq %rax, %rax
    jz .Lbind_dlvsym
.Lbound_dlvsym:
    leaq 1(%rdi), %rcx
    cmpq $1, %rcx
    ja graphtap_hooked_dlvsym
    jmp *%rax
.Lbind_dlvsym:
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    pushq %rdx
    .cfi_adjust_cfa_offset 8
    call graphtap_bind_dlvsym
    popq %rdx
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    jmp .Lbound_dlvsym
    .cfi_endproc
    .size dlvsym, .-dlvsym

    .section .note.GNU-stack,"",@progbits
